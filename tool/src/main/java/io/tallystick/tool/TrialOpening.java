package io.tallystick.tool;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreOption;
import io.tallystick.store.file.FileStoreOptions;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.tool.command.DirectoryTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Opens a small store with the settings of an application, in a directory of its own that is deleted at once. The
 * application's store does not change. The trial's directory lies where the application would make its store, or beside
 * an existing directory of a store. It never lies inside an existing directory of a store, even an empty one: a killed
 * trial would leave its directory there, and then no store could be made beside it. If the disk of the store has no
 * such place, the trial uses the directory for temporary files. Then it does not try the ways to the disk.
 *
 * @param place the parent of the trial's directory
 * @param isOnItsDisk whether the place is on the disk of the store
 */
record TrialOpening(Path place, boolean isOnItsDisk) {
    private static final String PREFIX = "tallystick-doctor-";
    private static final long SEGMENT_UNIT_BYTES = StoreOption.MIB;
    // The engines need room for two values of the largest size and a key in each file.
    private static final int SEGMENT_RECORDS = 8;
    private static final int FILES = 4;

    /** The trial for a store in this directory, which may be missing. */
    static TrialOpening forStoreIn(Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        if (Files.isDirectory(absolute, LinkOption.NOFOLLOW_LINKS)) {
            Path parent = absolute.getParent();
            boolean isBeside = parent != null
                    && mayHold(parent)
                    && Files.getFileStore(parent).equals(Files.getFileStore(absolute));
            return isBeside ? new TrialOpening(parent, true) : elsewhere();
        }
        Path there = Files.isSymbolicLink(absolute) ? absolute.getParent() : absolute;
        while (!Files.isDirectory(there) && there.getParent() != null) {
            there = there.getParent();
        }
        return mayHold(there) ? new TrialOpening(there, true) : elsewhere();
    }

    /** The trial's directory is never made inside the directory of a store. */
    private static boolean mayHold(Path directory) {
        return Files.isWritable(directory) && !Files.exists(directory.resolve(StoreIdentity.FILE_NAME));
    }

    private static TrialOpening elsewhere() {
        return new TrialOpening(Path.of(System.getProperty("java.io.tmpdir")), false);
    }

    /**
     * Opens the small store and closes it again.
     *
     * @param configuration of the application, with the directory of its store
     * @return the description of the store; without a way to the disk if none could be tried
     * @throws IllegalArgumentException the application would be refused for this reason
     * @throws io.tallystick.store.StoreException the same
     */
    StoreDescription run(StoreConfiguration configuration) throws IOException {
        Disk disk = new SystemDisk();
        Path scratch = Files.createTempDirectory(place, PREFIX);
        Thread cleaner = new Thread(() -> deleteAtEnd(disk, scratch), "tallystick-doctor-cleaner");
        Runtime.getRuntime().addShutdownHook(cleaner);
        try (ObjectStore store = ObjectStores.open(small(configuration, scratch.resolve("store")))) {
            return store.description();
        } finally {
            DirectoryTrees.delete(disk, scratch);
            Runtime.getRuntime().removeShutdownHook(cleaner);
        }
    }

    /** The same settings, except for the place, the size, and the settings of a long-lived process. */
    private StoreConfiguration small(StoreConfiguration configuration, Path directory) {
        StoreConfiguration.Builder builder = configuration.toBuilder()
                .directory(directory)
                .set(StoreOption.EXPECT_EXISTING, false)
                .set(StoreOption.JMX, false)
                .set(StoreOption.ON_UNKNOWN_OUTCOME, StoreOption.OnUnknownOutcome.THROW)
                .set(StoreOption.ON_LOST_LOG, StoreOption.OnLostLog.STOP);
        switch (configuration.get(StoreOption.STORE)) {
            case "journal" -> {
                JournalOptions options = JournalOptions.from(configuration);
                long needed = SEGMENT_RECORDS * (long) options.maxStateBytes();
                long units = Math.max(1, (needed + SEGMENT_UNIT_BYTES - 1) / SEGMENT_UNIT_BYTES);
                if (units * SEGMENT_UNIT_BYTES % options.blockBytes() == 0) {
                    builder.set(
                            StoreOption.JOURNAL_SEGMENT_SIZE,
                            Math.min(options.segmentBytes(), units * SEGMENT_UNIT_BYTES));
                }
                builder.set(StoreOption.JOURNAL_SEGMENTS, FILES);
                if (!isOnItsDisk) {
                    builder.set(StoreOption.JOURNAL_IO, "channel");
                }
            }
            case "file" -> FileStoreOptions.from(configuration);
            default -> {
                // has no options of its own
            }
        }
        return builder.build();
    }

    /** Bytes that a new journal with this configuration takes at its first opening; empty for stores that grow. */
    static Optional<Long> neededBytes(StoreConfiguration configuration) {
        if (!configuration.get(StoreOption.STORE).equals("journal")) {
            return Optional.empty();
        }
        JournalOptions options = JournalOptions.from(configuration);
        int files = options.engine().equals("artemis") ? options.segments() : FILES;
        return Optional.of(files * options.segmentBytes());
    }

    private static void deleteAtEnd(Disk disk, Path scratch) {
        try {
            DirectoryTrees.delete(disk, scratch);
        } catch (IOException stays) {
            // the process ends; the directory's name shows that the doctor made it
        }
    }
}
