package io.tallystick.durability.surroundings;

import io.tallystick.durability.system.SteppingClock;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.file.FileStore;
import io.tallystick.store.file.FileStoreOptions;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStore;
import io.tallystick.testkit.process.StoreServer;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One life of a store, configured by its environment as every application's store is. The properties that begin with
 * {@code surroundings.} change its disk, its clock and its limits.
 */
public final class SurroundedProcess {
    static final String ROOM_BYTES = "surroundings.room-bytes";
    static final String HALT_OPENING_AT = "surroundings.halt-opening-at";
    static final String HALT_OPENING_CHANGE_AT = "surroundings.halt-opening-change-at";
    static final String HALT_GROWTH_AT = "surroundings.halt-growth-at";
    static final String CLOCK_SEED = "surroundings.clock-seed";
    static final String DESCRIPTORS = "surroundings.descriptors";
    static final String REMOVED_DIRECTORY = "surroundings.removed-directory";

    // To look for it opens every archive of the class path.
    private static final String NO_RESOURCE = "/no/such/resource";
    private static final Path NOTHING = Path.of("/dev/null");

    private SurroundedProcess() {}

    public static void main(String[] arguments) throws IOException {
        String removed = System.getProperty(REMOVED_DIRECTORY);
        if (removed != null) {
            Files.delete(Path.of(removed));
        }
        Deque<FileInputStream> descriptors = takenDescriptors(Integer.getInteger(DESCRIPTORS, -1));
        StoreServer.serve(SurroundedProcess::opened);
        Reference.reachabilityFence(descriptors); // a file that is not reachable is closed
        // The threads of a store that hangs must not keep the process.
        Runtime.getRuntime().halt(0);
    }

    private static ObjectStore opened() {
        try {
            return open();
        } catch (Error scarce) {
            throw new IllegalStateException(scarce.toString(), scarce);
        }
    }

    private static ObjectStore open() {
        boolean isBounded = System.getProperty(ROOM_BYTES) != null
                || System.getProperty(HALT_OPENING_AT) != null
                || System.getProperty(HALT_OPENING_CHANGE_AT) != null
                || System.getProperty(HALT_GROWTH_AT) != null;
        String clockSeed = System.getProperty(CLOCK_SEED);
        if (!isBounded && clockSeed == null) {
            return ObjectStores.open();
        }
        StoreConfiguration configuration = StoreConfiguration.fromEnvironment();
        BoundedDisk disk = new BoundedDisk(
                new SystemDisk(),
                Long.getLong(ROOM_BYTES, BoundedDisk.AMPLE),
                new BoundedDisk.Halts(
                        Integer.getInteger(HALT_OPENING_AT, 0),
                        Integer.getInteger(HALT_OPENING_CHANGE_AT, 0),
                        Integer.getInteger(HALT_GROWTH_AT, 0)));
        NanoClock clock =
                clockSeed == null ? NanoClock.SYSTEM : new SteppingClock(NanoClock.SYSTEM, Long.parseLong(clockSeed));
        ObjectStore store = configuration.get(StoreOption.STORE).equals("file")
                ? FileStore.open(FileStoreOptions.from(configuration), disk, clock)
                : JournalStore.open(JournalOptions.from(configuration), disk, clock);
        disk.opened();
        return store;
    }

    /** Opens files until so many more can be opened. Archives of the class path are open before. */
    private static Deque<FileInputStream> takenDescriptors(int left) throws IOException {
        Deque<FileInputStream> taken = new ArrayDeque<>();
        if (left < 0) {
            return taken;
        }
        if (SurroundedProcess.class.getResource(NO_RESOURCE) != null) {
            throw new IllegalStateException(NO_RESOURCE + " is on the class path");
        }
        while (true) {
            try {
                taken.push(new FileInputStream(NOTHING.toFile()));
            } catch (IOException exhausted) {
                break;
            }
        }
        for (int i = 0; i < left && !taken.isEmpty(); i++) {
            taken.pop().close();
        }
        return taken;
    }
}
