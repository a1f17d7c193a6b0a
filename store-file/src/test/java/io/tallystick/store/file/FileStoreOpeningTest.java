package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a failed opening leaves behind, and what a full disk does to an opening: nothing. */
@Timeout(120)
class FileStoreOpeningTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");

    private final SimulatedDisk simulated = new SimulatedDisk();

    /** A store starts no thread while it is opened, and every file that recovery opens is closed again. */
    @ParameterizedTest
    @EnumSource(DiskOperation.class)
    void anOpeningThatFailsLeavesNoFileOpenAndNoThread(DiskOperation operation) {
        leaveStatesAndSpares();
        boolean struck;
        int occurrence = 0;
        do {
            occurrence++;
            SimulatedDisk found = killed();
            FaultInjectingDisk disk = new FaultInjectingDisk(found);
            OpenFileWatch files = new OpenFileWatch(disk);
            int attempt = occurrence;
            disk.inject(DiskFault.in(operation).at(attempt).preceding(() -> {
                throw new OutOfMemoryError("thrown by the test");
            }));
            try {
                open(files.disk()).close();
            } catch (OutOfMemoryError | StoreException failed) {
                assertThat(files.open()).as("%s %d", operation, occurrence).isEmpty();
                disk.clearFaults();
                open(found).close();
            }
            struck = disk.struck() > 0;
        } while (struck);
        assertThat(threads()).isZero();
    }

    /** A number is in a file when the file is whole, and nothing is written for the sake of a number alone. */
    @Test
    void aStoreThatWasClosedOpensOnAFullDisk() {
        for (int life = 0; life < 5; life++) {
            try (FileStore store = open(simulated)) {
                assertThat(store.keys("/T")).hasSize(life * 20);
                simulated.setCapacity(1L << 30);
                for (int i = 0; i < 20; i++) {
                    store.write(key(life * 20 + i), new byte[2000 + i * 500], Durability.FORCED);
                }
                simulated.setCapacity(1);
                try {
                    store.write(key(5000), new byte[20_000], Durability.FORCED);
                    throw new AssertionError("a write on a full disk was acknowledged");
                } catch (StoreFullException full) {
                    assertThat(store.failure()).isEmpty();
                }
            }
        }
    }

    private void leaveStatesAndSpares() {
        FileStore store = open(simulated);
        for (int i = 0; i < 3; i++) {
            store.write(key(i), new byte[100], Durability.FORCED);
        }
        store.remove(key(0), Durability.FORCED);
    }

    /** The same disk content each time: states, and a spare file for recovery to delete. */
    private SimulatedDisk killed() {
        return simulated.crash(1);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tallystick-file"))
                .filter(Thread::isAlive)
                .count();
    }

    private static FileStore open(Disk disk) {
        return FileStore.open(FileStoreOptions.in(DIRECTORY), disk, NanoClock.SYSTEM);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }

    @Test
    void aStoreGoesOnWithTheDirectoryThatTheFirstStoresGaveToATypeNamedLikeADevice(@TempDir Path directory)
            throws IOException {
        StateKey key = StateKey.of("/app/aux", ObjectId.parse("0a"));
        FileStoreOptions options = FileStoreOptions.in(directory);
        try (ObjectStore store = FileStore.open(options, new SystemDisk(), NanoClock.SYSTEM)) {
            store.write(key, new byte[] {1}, Durability.FORCED);
        }
        Path app = directory.resolve("states").resolve("app");
        Files.move(app.resolve("%61ux"), app.resolve("aux"));

        for (byte value = 1; value < 3; value++) {
            try (ObjectStore store = FileStore.open(options, new SystemDisk(), NanoClock.SYSTEM)) {
                assertThat(store.read(key)).contains(new byte[] {value});
                store.write(key, new byte[] {(byte) (value + 1)}, Durability.FORCED);
            }
        }
        assertThat(app.resolve("%61ux")).doesNotExist();
    }
}
