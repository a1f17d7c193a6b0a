package io.tallystick.testkit.oracle;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.StoreOpener;
import io.tallystick.testkit.ToyBug;
import io.tallystick.testkit.ToyStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RotSweepTest {
    private static final StoreWorkload WORKLOAD = StoreWorkload.history(1, 20);
    /** Two lives, and one more to look at what they left. */
    private static final int OPENINGS_BEFORE_DAMAGE = 3;

    /** The toy takes whatever is damaged for a tail that a crash has torn. */
    @Test
    void storeThatDropsWhatIsDamagedIsCaught() {
        assertThatThrownBy(() -> RotSweep.of(ToyStore::open, WORKLOAD).run())
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("file=")
                .hasMessageContaining("violated");
    }

    @Test
    void storeWithoutChecksumsIsCaught() {
        RotSweep sweep = RotSweep.of((disk, directory) -> ToyStore.open(disk, directory, ToyBug.NO_CHECKSUM), WORKLOAD);
        assertThatThrownBy(sweep::run).isInstanceOf(AssertionError.class).hasMessageStartingWith("file=");
    }

    @Test
    void refusalThatChangesAFileIsCaught() {
        assertThatThrownBy(RotSweep.of(
                        refusing(disk -> truncate(disk, CrashSweep.DIRECTORY.resolve("toy.log"))), WORKLOAD)::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the refusal changed file=");
    }

    @Test
    void refusalThatMakesAFileIsCaught() {
        assertThatThrownBy(
                        RotSweep.of(refusing(disk -> create(disk, CrashSweep.DIRECTORY.resolve("new"))), WORKLOAD)::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the refusal changed files from");
    }

    @Test
    void exceptionThatIsNoRefusalIsCaught() {
        StoreOpener opener = refusing(disk -> {
            throw new IllegalStateException("cannot happen");
        });
        assertThatThrownBy(RotSweep.of(opener, WORKLOAD)::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("opening ends with java.lang.IllegalStateException: cannot happen");
    }

    private interface Deed {
        void to(Disk disk);
    }

    private static StoreOpener refusing(Deed deed) {
        AtomicInteger openings = new AtomicInteger();
        return (disk, directory) -> {
            if (openings.incrementAndGet() <= OPENINGS_BEFORE_DAMAGE) {
                return openToy(disk, directory);
            }
            deed.to(disk);
            throw new CorruptStoreException(directory.resolve("toy.log"), 0, "it is damaged", "restore it");
        };
    }

    private static ObjectStore openToy(Disk disk, Path directory) {
        return ToyStore.open(disk, directory);
    }

    private static void truncate(Disk disk, Path file) {
        try (var open = disk.open(file, OpenMode.READ_WRITE)) {
            open.truncate(open.size() - 1);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static void create(Disk disk, Path file) {
        try {
            disk.open(file, OpenMode.CREATE_NEW).close();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
