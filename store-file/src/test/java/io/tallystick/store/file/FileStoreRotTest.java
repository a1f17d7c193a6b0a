package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.file.format.StateFileFormat;
import io.tallystick.testkit.oracle.RotSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import org.junit.jupiter.api.Test;

/** Whatever bit of a closed store rots, and wherever a file of it ends: it is told, or all is there. */
class FileStoreRotTest {
    private static final boolean FULL = Boolean.getBoolean("tallystick.test.full");

    @Test
    void everyDamageIsToldOrHarmless() {
        RotSweep sweep = RotSweep.of(
                        (disk, directory) -> FileStore.open(FileStoreOptions.in(directory), disk, NanoClock.SYSTEM),
                        StoreWorkload.history(3, 40))
                .withInspector(FileStoreInspector::new)
                .withFlips(150)
                .withCuts(20)
                .withEveryBitOfTheFirst(StateFileFormat.HEADER_BYTES);

        RotSweep.Report report = (FULL ? sweep.exhaustive() : sweep).run();

        System.getLogger("test").log(System.Logger.Level.INFO, report.toString());
        assertThat(report.refused()).isGreaterThan(500);
        // All but the one that is damaged.
        assertThat(report.recordsFound()).isGreaterThanOrEqualTo(report.recordsThere() - report.refused());
    }
}
