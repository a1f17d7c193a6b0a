package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.inspect.SegmentedInspector;
import io.tallystick.testkit.oracle.RotSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever bit of a closed store rots, and wherever a file of it ends: it is told, or all is there. */
public class SegmentedRotTest {
    private static final boolean FULL = Boolean.getBoolean("tallystick.test.full");

    @Test
    void everyDamageOfASmallStoreIsToldOrHarmless() {
        report(smallStore(100, 15));
    }

    @Tag("long")
    @Test
    void everyDamageAtMorePlacesOfASmallStoreIsToldOrHarmless() {
        RotSweep sweep = smallStore(400, 60);
        report(FULL ? sweep.exhaustive() : sweep);
    }

    private static RotSweep smallStore(int flips, int cuts) {
        return RotSweep.of(SegmentedRotTest::open, StoreWorkload.history(3, 20))
                .withInspector(SegmentedInspector::new)
                .withFlips(flips)
                .withCuts(cuts)
                .withEveryBitOfTheFirst(SegmentFormat.SEGMENT_HEADER_BYTES);
    }

    /** Segments that have lived several lives, in several openings. */
    @Test
    void everyDamageOfAStoreThatUsedItsSegmentsAgainIsToldOrHarmless() {
        RotSweep sweep = RotSweep.of(SegmentedRotTest::open, StoreWorkload.history(4, 250))
                .withInspector(SegmentedInspector::new)
                .withLives(3)
                .withFlips(FULL ? 50_000 : 200)
                .withCuts(FULL ? 5_000 : 30);

        report(sweep);
    }

    private static void report(RotSweep sweep) {
        RotSweep.Report report = sweep.run();
        System.getLogger("test").log(System.Logger.Level.INFO, report.toString());
        assertThat(report.refused()).isGreaterThan(100);
        assertThat(report.harmless()).isGreaterThan(100);
        assertThat(report.recordsFound()).isGreaterThan(report.recordsThere() * 9 / 10);
    }

    public static ObjectStore open(Disk disk, Path directory) {
        return JournalStores.open(
                JournalStores.small(directory, "segmented", "channel")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.JOURNAL_BLOCK_SIZE, 512L)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }
}
