package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.oracle.CrashSweep;
import io.tallystick.testkit.oracle.FaultSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a crash leaves of the unsynced writes, and whichever operation of the disk fails, the promises hold. */
@Tag("long")
class SegmentedCrashTest {
    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void everyCrashLeavesWhatWasPromised(String io) {
        CrashSweep.Report report = CrashSweep.of(
                        (disk, directory) -> open(io, disk, directory), StoreWorkload.history(1, 60))
                .withSeeds(2)
                .withNested(1)
                .withFullDisks()
                .run();
        assertThat(report.crashes()).isGreaterThan(30);
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void everyCrashUnderManyThreadsLeavesWhatWasPromised(String io) {
        CrashSweep.Report report = CrashSweep.of(
                        (disk, directory) -> open(io, disk, directory), StoreWorkload.commits(4, 12))
                .withSeeds(2)
                .withNested(1)
                .run();
        assertThat(report.crashes()).isGreaterThan(30);
    }

    /** Files of another size are deleted, and new ones made in their place. */
    @Test
    void everyCrashAfterTheSegmentSizeWasChangedLeavesWhatWasPromised() {
        CrashSweep.Report report = CrashSweep.of(SegmentedCrashTest::openWithAnotherSize, StoreWorkload.history(2, 60))
                .withLives(3)
                .withSeeds(2)
                .withNested(1)
                .run();
        assertThat(report.crashes()).isGreaterThan(30);
    }

    private static ObjectStore openWithAnotherSize(Disk disk, Path directory) {
        long small = 64 * StoreOption.KIB;
        return JournalStores.open(
                JournalStores.small(directory, "segmented", "channel")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, hasSegmentOf(disk, directory, small) ? 2 * small : small)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }

    private static boolean hasSegmentOf(Disk disk, Path directory, long bytes) {
        try {
            for (Path file : disk.list(directory)) {
                if (SegmentFormat.fileNumber(file) >= 0 && disk.size(file) == bytes) {
                    return true;
                }
            }
            return false;
        } catch (IOException missingOrDead) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void everyFailureOfTheDiskIsTold(String io) {
        FaultSweep.Report report = FaultSweep.of(
                        (disk, directory) -> open(io, disk, directory), StoreWorkload.history(1, 30))
                .run();
        assertThat(report.faults()).isGreaterThan(20);
    }

    private static ObjectStore open(String io, Disk disk, Path directory) {
        return JournalStores.open(
                JournalStores.small(directory, "segmented", io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }
}
