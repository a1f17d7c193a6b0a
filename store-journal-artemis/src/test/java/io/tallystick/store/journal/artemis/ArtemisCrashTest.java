package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.Disk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.oracle.CrashSweep;
import io.tallystick.testkit.oracle.FaultSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever a crash leaves of the unsynced writes, and whichever operation of the disk fails, the promises hold.
 * {@code -Dtallystick.test.full=true} tries more kinds of damage, more nested crashes and longer histories.
 */
@Tag("long")
class ArtemisCrashTest {
    private static final boolean FULL = Boolean.getBoolean("tallystick.test.full");

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void everyCrashLeavesWhatWasPromised(String io) {
        assumeQuick(io.equals("channel"));
        for (long seed = 1; seed <= (FULL ? 10 : 1); seed++) {
            sweep(io, StoreWorkload.history(seed, FULL ? 200 : 40));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void everyCrashUnderManyThreadsLeavesWhatWasPromised(String io) {
        assumeQuick(io.equals("direct"));
        sweep(io, StoreWorkload.commits(4, FULL ? 100 : 10));
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void everyCrashWhileFilesAreUsedAgainLeavesWhatWasPromised(String io) {
        assumeQuick(io.equals("channel"));
        sweep(io, ArtemisCrashTest::pinAndChurn);
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void everyFailureOfTheDiskIsTold(String io) {
        assumeQuick(io.equals("channel"));
        fail(io, StoreWorkload.history(1, FULL ? 120 : 20));
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void everyFailureOfTheDiskWhileFilesAreUsedAgainIsTold(String io) {
        assumeQuick(false);
        fail(io, ArtemisCrashTest::pinAndChurn);
    }

    private static void assumeQuick(boolean isQuick) {
        assumeTrue(FULL || isQuick, "skipped: takes long; -Dtallystick.test.full=true runs it");
    }

    private static void sweep(String io, StoreWorkload workload) {
        CrashSweep.Report report = CrashSweep.of((disk, directory) -> open(io, disk, directory), workload)
                .withSeeds(FULL ? 12 : 6)
                .withNested(FULL ? 4 : 1)
                .run();

        System.getLogger("test").log(System.Logger.Level.INFO, io + " " + report);
        assertThat(report.crashes()).isGreaterThan(40);
    }

    private static void fail(String io, StoreWorkload workload) {
        FaultSweep.Report report = FaultSweep.of((disk, directory) -> open(io, disk, directory), workload)
                .run();

        System.getLogger("test").log(System.Logger.Level.INFO, io + " " + report);
        assertThat(report.faults()).isGreaterThan(20);
    }

    /** A few records that stay, and many that go, through more files than the store keeps. */
    private static void pinAndChurn(ObjectStore store) {
        for (int i = 0; i < 5; i++) {
            write(store, 1000 + i, 500, Durability.FORCED);
        }
        for (int i = 0; i < 40; i++) {
            write(store, i, 7000, i % 3 == 0 ? Durability.FORCED : Durability.DEFERRED);
            StateKey removed = key(i);
            attempt(() -> store.remove(removed, Durability.DEFERRED));
        }
        attempt(store::force);
    }

    private static void write(ObjectStore store, int number, int length, Durability durability) {
        byte[] state = new byte[length];
        Arrays.fill(state, (byte) number);
        attempt(() -> store.write(key(number), state, durability));
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/Churn", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }

    private static void attempt(Runnable operation) {
        try {
            operation.run();
        } catch (StoreException told) {
            // the oracle has heard of it
        }
    }

    private static ObjectStore open(String io, Disk disk, Path directory) {
        return JournalStores.open(
                JournalStores.small(directory, "artemis", io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }
}
