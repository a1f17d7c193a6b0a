package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.LossMark;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The mark of a loss, where the machine crashes between any two steps. */
class MarkedLossCrashTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final StateKey KEY = StateKey.parse("/T:01");
    private static final int SEEDS = 20;

    private interface Step {
        void run(SimulatedDisk disk) throws IOException;
    }

    @Test
    void aLossIsMarkedOrTheDirectoryIsAsItWasBefore() throws IOException {
        int refused = 0;
        int opened = 0;
        long operations = operationsOf(stored(), MarkedLossCrashTest::mark);
        for (long operation = 1; operation <= operations; operation++) {
            for (int seed = 0; seed < SEEDS; seed++) {
                SimulatedDisk disk = crashed(stored(), operation, MarkedLossCrashTest::mark, seed);
                if (LossMark.find(disk, DIRECTORY).isPresent()) {
                    assertRefused(disk);
                    refused++;
                } else {
                    assertOpens(disk);
                    opened++;
                }
            }
        }
        assertThat(refused).isPositive();
        assertThat(opened).isPositive();
    }

    @Test
    void aMarkThatIsDoneOutlivesEachCrash() throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            SimulatedDisk disk = stored();
            mark(disk);

            assertRefused(disk.crash(seed));
        }
    }

    @Test
    void aMarkOnAFullDiskCounts() throws IOException {
        SimulatedDisk disk = stored();
        disk.setCapacity(0);
        mark(disk);

        assertRefused(disk.crash(0));
    }

    @Test
    void anAcceptanceLeavesTheMarkOrTheHistoryWithTheReason() throws IOException {
        int accepted = 0;
        long operations = operationsOf(marked(), MarkedLossCrashTest::accept);
        for (long operation = 1; operation <= operations; operation++) {
            for (int seed = 0; seed < SEEDS; seed++) {
                SimulatedDisk disk = crashed(marked(), operation, MarkedLossCrashTest::accept, seed);
                if (LossMark.find(disk, DIRECTORY).isPresent()) {
                    assertRefused(disk);
                    accept(disk); // the person does it again
                } else {
                    accepted++;
                }
                assertThat(history(disk)).contains("reason=a test", "missing=a state is gone");
                assertOpens(disk);
            }
        }
        assertThat(accepted).isPositive();
    }

    private static SimulatedDisk stored() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        try (FileStore store = open(disk)) {
            store.write(KEY, new byte[] {7}, Durability.FORCED);
        }
        return disk;
    }

    private static SimulatedDisk marked() throws IOException {
        SimulatedDisk disk = stored();
        mark(disk);
        return disk;
    }

    private static void mark(SimulatedDisk disk) throws IOException {
        LossMark.write(disk, DIRECTORY, new UUID(1, 2), Instant.EPOCH, "a state is gone", "pid=1");
    }

    private static void accept(SimulatedDisk disk) throws IOException {
        Optional<LossMark> mark = LossMark.find(disk, DIRECTORY);
        LossMark.accept(disk, DIRECTORY, mark.orElseThrow(), "a test", "tester", Instant.EPOCH);
    }

    private static long operationsOf(SimulatedDisk disk, Step step) throws IOException {
        long before = disk.operations();
        step.run(disk);
        return disk.operations() - before;
    }

    private static SimulatedDisk crashed(SimulatedDisk disk, long operation, Step step, int seed) {
        disk.crashAt(disk.operations() + operation);
        assertThatThrownBy(() -> step.run(disk)).isInstanceOf(IOException.class);
        return disk.crash(seed);
    }

    private static String history(SimulatedDisk disk) throws IOException {
        try {
            return new String(disk.contents(DIRECTORY.resolve(LossMark.ACCEPTED_FILE_NAME)), StandardCharsets.UTF_8);
        } catch (NoSuchFileException none) {
            return "";
        }
    }

    private static FileStore open(SimulatedDisk disk) {
        StoreConfiguration configuration =
                StoreConfiguration.builder().directory(DIRECTORY).build();
        return FileStore.open(FileStoreOptions.from(configuration), disk, NanoClock.SYSTEM);
    }

    private static void assertOpens(SimulatedDisk disk) {
        try (FileStore store = open(disk)) {
            assertThat(store.read(KEY)).contains(new byte[] {7});
        }
    }

    private static void assertRefused(SimulatedDisk disk) {
        assertThatThrownBy(() -> open(disk))
                .isInstanceOfSatisfying(StoreIoException.class, refused -> assertThat(refused.messageId())
                        .isEqualTo("TALLY0021"));
    }
}
