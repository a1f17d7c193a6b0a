package io.tallystick.testkit.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.StoreDirectory;
import io.tallystick.testkit.ToyBug;
import io.tallystick.testkit.ToyStore;
import io.tallystick.testkit.disk.LateWrite;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class LateWriteSweepTest {
    private static final StoreWorkload WORKLOAD = StoreWorkload.history(1, 40);
    private static final int WRITES = 8;
    // Each directory stays locked, and is told so.
    private static final Logger DIRECTORIES = Logger.getLogger(StoreDirectory.class.getName());

    @BeforeAll
    static void tellsNothing() {
        DIRECTORIES.setLevel(Level.OFF);
    }

    @AfterAll
    static void tellsAgain() {
        DIRECTORIES.setLevel(null);
    }

    @Test
    void soundStoreSurvivesWritesThatLandLate() {
        LateWriteSweep.Report report =
                LateWriteSweep.of(ToyStore::open, WORKLOAD, WRITES, 1).run();

        assertThat(report.lateWrites()).isEqualTo(WRITES * 3);
        assertThat(report.crashes()).isEqualTo(WRITES * 9);
    }

    @Test
    void soundStoreOfManyThreadsSurvivesWritesThatLandLate() {
        LateWriteSweep.Report report = LateWriteSweep.of(ToyStore::open, StoreWorkload.commits(4, 5), 3, 2)
                .run();

        assertThat(report.lateWrites()).isGreaterThan(4);
    }

    @Test
    void storeThatIsOpenedAgainBesideALateWriteIsCaught() {
        LateWriteSweep forgetful =
                LateWriteSweep.of(ToyStore::open, WORKLOAD, WRITES, 1).with(LateWrite::forgotten);

        assertThatThrownBy(forgetful::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("late write occurrence=")
                .hasMessageContaining("I11 one owner violated");
    }

    @Test
    void storeThatTellsAWriteAsNotWrittenWhichLandsLaterIsCaught() {
        LateWriteSweep sweep = LateWriteSweep.of(
                (disk, directory) -> ToyStore.open(disk, directory, ToyBug.UNKNOWN_TOLD_AS_NOT_WRITTEN),
                WORKLOAD,
                WRITES,
                1);

        assertThatThrownBy(sweep::run).isInstanceOf(AssertionError.class).hasMessageContaining("violated");
    }
}
