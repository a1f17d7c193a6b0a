package io.tallystick.testkit.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.testkit.ToyBug;
import io.tallystick.testkit.ToyStore;
import io.tallystick.testkit.disk.DiskOperation;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Both of its clean-ups are in vain: the deletion fails, or a crash takes it back. */
    @ParameterizedTest
    @ValueSource(strings = {"done, and no later change of names", "EIO for ever"})
    void aStoreThatStumblesOverWhatItCouldNotCleanUpIsCaught(String way) {
        FaultSweep sweep = FaultSweep.of(FaultSweepTest::stumbling, StoreWorkload.history(1, 4))
                .onlyWays(way);

        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= 20; seed++) {
                        sweep.withSeed(seed).run();
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(way)
                .hasMessageContaining("it was left behind");
    }

    /** Makes a file at each opening, deletes it again, and does not expect to find it. */
    private static ObjectStore stumbling(Disk disk, Path directory) {
        ObjectStore store = ToyStore.open(disk, directory);
        try {
            makeAndDelete(disk, directory.resolve("toy.extra"));
            return store;
        } catch (IOException failed) {
            closeQuietly(store);
            throw new StoreIoException(failed.getMessage(), failed);
        }
    }

    private static void makeAndDelete(Disk disk, Path file) throws IOException {
        if (disk.kindOf(file) != Disk.PathKind.MISSING) {
            throw new IOException(file + ": it was left behind");
        }
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        if (disk.kindOf(temporary) == Disk.PathKind.MISSING) {
            disk.open(temporary, OpenMode.CREATE_NEW).close();
        }
        disk.rename(temporary, file);
        try {
            disk.forceDirectory(file.getParent());
        } finally {
            disk.delete(file);
            disk.forceDirectory(file.getParent());
        }
    }

    private static void closeQuietly(ObjectStore store) {
        try {
            store.close();
        } catch (StoreException alsoFailed) {
            // the first failure is told
        }
    }
}
