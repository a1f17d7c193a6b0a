package io.tallystick.testkit.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.testkit.ToyBug;
import io.tallystick.testkit.ToyStore;
import io.tallystick.testkit.disk.DiskOperation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FaultSweepTest {
    @Test
    void soundStoreTellsTheTruthAboutEachFault() {
        FaultSweep.Report report =
                FaultSweep.of(ToyStore::open, StoreWorkload.history(1, 40)).run();

        assertThat(report.faults()).isGreaterThan(300);
        assertThat(report.crashes()).isEqualTo(report.faults() * 3);
    }

    @Test
    void soundStoreTellsTheTruthToManyThreads() {
        FaultSweep.Report report = FaultSweep.of(ToyStore::open, StoreWorkload.commits(4, 5))
                .only(DiskOperation.WRITE, DiskOperation.FORCE)
                .run();

        assertThat(report.faults()).isGreaterThan(100);
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "RETRY_FORCE",
                "SWALLOW_FAILED_FORCE",
                "UNKNOWN_TOLD_AS_NOT_WRITTEN",
                "NO_FAIL_STOP",
                "IGNORE_SHORT_WRITE",
                "SWALLOW_FAILED_CLOSE"
            })
    void unsoundStoreIsCaught(ToyBug bug) {
        FaultSweep sweep =
                FaultSweep.of((disk, directory) -> ToyStore.open(disk, directory, bug), StoreWorkload.history(1, 40));

        assertThatThrownBy(sweep::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("fault ")
                .hasMessageContaining("violated");
    }

    @ParameterizedTest
    @CsvSource({
        "'the system loses it before a force, shows', SWALLOW_FAILED_FORCE",
        "'the system loses it before a force, drops', SWALLOW_FAILED_FORCE",
        "'its sectors are unreadable', UNREADABLE_IS_EMPTY",
        "EDQUOT, NO_FAIL_STOP",
    })
    void eachTroubleOfTheDiskAloneCatchesAStoreThatIgnoresIt(String way, ToyBug bug) {
        FaultSweep.Report sound = FaultSweep.of(ToyStore::open, StoreWorkload.history(1, 40))
                .onlyWays(way)
                .run();
        FaultSweep unsound =
                FaultSweep.of((disk, directory) -> ToyStore.open(disk, directory, bug), StoreWorkload.history(1, 40));

        assertThat(sound.faults()).isPositive();
        assertThatThrownBy(unsound.onlyWays(way)::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(way)
                .hasMessageContaining("violated");
    }
}
