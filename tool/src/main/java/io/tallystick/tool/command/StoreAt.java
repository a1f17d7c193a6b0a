package io.tallystick.tool.command;

import io.tallystick.storage.DeniedAccess;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The store in a directory and its identity, found by reading alone.
 *
 * @param directory of the store, with the links above it resolved
 * @param identity kind and unique id
 */
public record StoreAt(Path directory, StoreIdentity identity) {
    private static final Pattern JOURNAL = Pattern.compile("journal-([a-z0-9-]+)-v\\d+");
    private static final Pattern FILE = Pattern.compile("file-v\\d+");
    private static final Pattern JOURNAL_FILE = Pattern.compile("segment-.+\\.(?:seg|log)|tallystick-\\d+\\.jnl");
    /** The largest state that a command takes where nothing says otherwise. */
    public static final long LARGEST_STATE_BYTES = 8 * StoreOption.MIB;

    /**
     * The store in this directory. Nothing is created, changed or locked.
     *
     * @throws ToolException the path is missing, empty, not a directory, not a store or not readable; or the store's
     *     identity file is damaged
     */
    public static StoreAt find(Path directory) throws IOException {
        return find(directory, new SystemDisk());
    }

    public static StoreAt find(Path directory, Disk disk) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        try {
            checkDirectory(disk, absolute);
            Path real = disk.realPath(absolute);
            Optional<StoreIdentity> identity = StoreIdentity.read(disk, real);
            return new StoreAt(real, identity.orElseThrow(() -> noStore(disk, real)));
        } catch (StoreDirectoryException refused) {
            boolean isDamaged = refused.reason() == StoreDirectoryException.Reason.CORRUPT;
            throw new ToolException(
                    isDamaged ? ExitStatus.NEGATIVE : ExitStatus.FAILED,
                    refused.getMessage() + (isDamaged ? "; 'tallystick verify' checks the other files" : ""),
                    refused);
        } catch (AccessDeniedException denied) {
            throw new ToolException(
                    ExitStatus.FAILED, DeniedAccess.describe(denied) + "; run as the user that owns the store", denied);
        }
    }

    /**
     * Whether a store may be made there: the directory is missing, or it holds only the files that a killed opening
     * leaves.
     */
    public static boolean isFree(Path directory) throws IOException {
        Disk disk = new SystemDisk();
        Path absolute = directory.toAbsolutePath().normalize();
        return switch (disk.kindOf(absolute)) {
            case MISSING -> true;
            case DIRECTORY ->
                disk.list(absolute).stream().allMatch(StoreDirectory::isOwnFile)
                        && StoreIdentity.read(disk, absolute).isEmpty();
            default -> false;
        };
    }

    /** {@code file} or {@code journal}: the value of {@code tallystick.store}. */
    public String store() {
        return JOURNAL.matcher(identity.kind()).matches() ? "journal" : "file";
    }

    /** The value of {@code tallystick.journal.engine}; empty where the store is no journal. */
    public Optional<String> engine() {
        Matcher journal = JOURNAL.matcher(identity.kind());
        return journal.matches() ? Optional.of(journal.group(1)) : Optional.empty();
    }

    /** Store and engine in the words of the configuration, such as {@code journal engine=segmented}. */
    public String name() {
        return store() + engine().map(engine -> " engine=" + engine).orElse("");
    }

    /**
     * The configuration that opens this store as it is. It keeps the size of the files, takes states as large as fit
     * into them, and does not try ways to the disk.
     *
     * @param settings further keys and values; they win
     * @throws ToolException this version of the tool knows no such store
     * @throws IllegalArgumentException an unknown key or a bad value
     */
    public StoreConfiguration configuration(Map<String, String> settings) throws IOException {
        if (!JOURNAL.matcher(identity.kind()).matches()
                && !FILE.matcher(identity.kind()).matches()) {
            throw new ToolException(
                    ExitStatus.FAILED,
                    "directory=" + directory + " holds a store of kind " + identity.kind()
                            + ", which this version of the tool does not know; use the version that wrote it");
        }
        StoreConfiguration.Builder builder =
                StoreConfiguration.builder().store(store()).directory(directory).set(StoreOption.EXPECT_EXISTING, true);
        engine().ifPresent(engine -> builder.set(StoreOption.JOURNAL_ENGINE, engine));
        long largestState = LARGEST_STATE_BYTES;
        Optional<Long> fileBytes = journalFileBytes();
        if (fileBytes.isPresent()) {
            builder.set(StoreOption.JOURNAL_SEGMENT_SIZE.key(), fileBytes.get() + "B");
            largestState = Math.min(largestState, fileBytes.get() / 4);
        }
        builder.set(StoreOption.MAX_STATE_SIZE, largestState);
        GivenSettings.apply(settings, builder);
        return builder.build();
    }

    /**
     * Opens the store for reading and writing: takes its lock and recovers it, as its owner would.
     *
     * @param settings further configuration keys and values; they win
     * @throws io.tallystick.store.StoreException it cannot be opened
     */
    public ObjectStore open(Map<String, String> settings) throws IOException {
        return ObjectStores.open(configuration(settings));
    }

    /**
     * The size of the largest file. Files of another size come from an earlier configuration and are not used again.
     */
    private Optional<Long> journalFileBytes() throws IOException {
        Disk disk = new SystemDisk();
        long largest = 0;
        for (Path file : disk.list(directory)) {
            if (JOURNAL_FILE.matcher(file.getFileName().toString()).matches()) {
                largest = Math.max(largest, disk.size(file));
            }
        }
        return largest == 0 ? Optional.empty() : Optional.of(largest);
    }

    /**
     * Refuses a link in the place of a directory.
     *
     * @throws ToolException there is one
     */
    public static void checkNoLink(Disk disk, Path directory) throws IOException {
        if (disk.kindOf(directory) == Disk.PathKind.LINK) {
            String kind = Files.isSymbolicLink(directory)
                    ? " is a symbolic link to " + Files.readSymbolicLink(directory)
                    : " is a junction to " + disk.realPath(directory);
            throw new ToolException(
                    ExitStatus.NO_STORE,
                    "directory=" + directory + kind
                            + "; a store is known by one path only: give the one that the link points to");
        }
    }

    private static void checkDirectory(Disk disk, Path directory) throws IOException {
        switch (disk.kindOf(directory)) {
            case DIRECTORY -> {}
            case MISSING ->
                throw new ToolException(
                        ExitStatus.NO_STORE,
                        "directory=" + directory + " does not exist; give the directory of a store"
                                + " (tallystick.directory), or mount the volume that holds it");
            case LINK -> checkNoLink(disk, directory);
            default ->
                throw new ToolException(
                        ExitStatus.NO_STORE,
                        "directory=" + directory + " is not a directory; give the directory of a store"
                                + " (tallystick.directory)");
        }
    }

    private static ToolException noStore(Disk disk, Path directory) {
        List<Path> files;
        try {
            files = disk.list(directory).stream()
                    .filter(file -> !StoreDirectory.isOwnFile(file))
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            return new ToolException(
                    ExitStatus.FAILED,
                    "directory=" + directory + " cannot be read (" + DeniedAccess.textOf(unreadable)
                            + "); run as the user that owns the store",
                    unreadable);
        }
        if (files.stream().anyMatch(file -> file.endsWith(BackupPlace.MANIFEST_FILE))) {
            return new ToolException(
                    ExitStatus.NO_STORE,
                    "directory=" + directory + " is a backup and no store; " + BackupPlace.remedy(directory));
        }
        if (files.isEmpty()) {
            return new ToolException(
                    ExitStatus.NO_STORE,
                    "directory=" + directory + " is empty; a store's directory holds the file "
                            + StoreIdentity.FILE_NAME + ": give the right one, or mount the volume that holds it");
        }
        Optional<ForeignLog> foreign = ForeignLog.in(directory, files);
        if (foreign.isPresent()) {
            return new ToolException(
                    ExitStatus.NO_STORE,
                    "directory=" + directory + " holds no Tallystick store, but it looks like "
                            + foreign.get().description() + "; 'tallystick migrate' copies its states into a"
                            + " store of ours");
        }
        for (Path file : files) {
            if (Files.isRegularFile(file.resolve(StoreIdentity.FILE_NAME))) {
                return new ToolException(
                        ExitStatus.NO_STORE,
                        "directory=" + directory + " holds no store, but the directory " + file + " does; give that");
            }
        }
        return new ToolException(
                ExitStatus.NO_STORE,
                "directory=" + directory + " holds no store: it has no " + StoreIdentity.FILE_NAME
                        + ", but for example "
                        + Escaped.of(String.valueOf(files.get(0).getFileName()))
                        + "; give the directory of a store (tallystick.directory)");
    }
}
