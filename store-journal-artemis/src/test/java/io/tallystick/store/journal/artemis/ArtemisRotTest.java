package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.oracle.RotSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever bit of a closed store rots, and wherever a file of it ends: it is told, or all is there. */
@Tag("long")
class ArtemisRotTest {
    private static final boolean FULL = Boolean.getBoolean("tallystick.test.full");

    @Test
    void everyDamageIsToldOrHarmless() {
        RotSweep sweep = RotSweep.of(ArtemisRotTest::open, StoreWorkload.history(3, 40))
                .withInspector(ArtemisInspector::new)
                .withFlips(FULL ? 50_000 : 150)
                .withCuts(FULL ? 5_000 : 20);

        RotSweep.Report report = sweep.run();

        System.getLogger("test").log(System.Logger.Level.INFO, report.toString());
        assertThat(report.refused()).isGreaterThan(100);
        assertThat(report.harmless()).isGreaterThan(100);
        assertThat(report.recordsFound()).isGreaterThan(report.recordsThere() * 9 / 10);
    }

    private static ObjectStore open(Disk disk, Path directory) {
        return JournalStores.open(
                JournalStores.small(directory, "artemis", "channel")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }
}
