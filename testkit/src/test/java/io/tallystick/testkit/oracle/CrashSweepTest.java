package io.tallystick.testkit.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.testkit.ToyBug;
import io.tallystick.testkit.ToyStore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CrashSweepTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void soundStoreSurvivesACrashAtEachOperation(long seed) {
        CrashSweep.Report report = CrashSweep.of(ToyStore::open, StoreWorkload.history(seed, 40))
                .withSeeds(6)
                .withNested(1)
                .run();

        assertThat(report.operations()).isGreaterThan(80);
        assertThat(report.crashes()).isEqualTo(report.operations() * 7);
        assertThat(report.nestedCrashes()).isEqualTo(report.operations() * 6);
    }

    @Test
    void soundStoreSurvivesCrashesUnderManyThreads() {
        CrashSweep.Report report =
                CrashSweep.of(ToyStore::open, StoreWorkload.commits(4, 5)).run();

        assertThat(report.operations()).isGreaterThan(50);
    }

    @Test
    void failureTellsHowToRepeatIt() {
        CrashSweep sweep = CrashSweep.of(
                (disk, directory) -> ToyStore.open(disk, directory, ToyBug.SKIP_FORCE), StoreWorkload.history(1, 40));
        String message = catchThrowable(sweep::run).getMessage();
        Matcher where = Pattern.compile("crash at operation=(\\d+) .*I1 durable violated: .*")
                .matcher(message);

        assertThat(where.matches()).as(message).isTrue();
        assertThatThrownBy(sweep.onlyOperation(Long.parseLong(where.group(1)))::run)
                .hasMessage(message);
    }

    @Test
    void sweepThatReachesNothingProvesNothing() {
        assertThatThrownBy(CrashSweep.of(ToyStore::open, StoreWorkload.history(1, 5))
                        .onlyOperation(10_000)::run)
                .hasMessageContaining("nothing was proved");
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "SKIP_FORCE",
                "FORCE_BEFORE_WRITE",
                "CLOSE_WITHOUT_FORCE",
                "RENAME_BEFORE_FORCE",
                "NO_DIRECTORY_FORCE",
                "NO_CHECKSUM",
                "APPEND_BEHIND_TORN_TAIL",
                "SHOW_UNFORCED_ON_OPEN"
            })
    void unsoundStoreIsCaught(ToyBug bug) {
        CrashSweep sweep =
                CrashSweep.of((disk, directory) -> ToyStore.open(disk, directory, bug), StoreWorkload.history(1, 40));

        assertThatThrownBy(sweep::run).isInstanceOf(AssertionError.class).hasMessageStartingWith("crash at operation=");
    }

    @Test
    void readOfWhatIsNotOnDiskIsCaught() {
        CrashSweep sweep = CrashSweep.of(
                (disk, directory) -> ToyStore.open(disk, directory, ToyBug.DIRTY_READ), StoreWorkload.commits(4, 40));

        assertThatThrownBy(sweep::run).hasMessageContaining("I7 no dirty read violated");
    }

    @Test
    void forcedRemovalThatFindsNothingAndForcesNothingIsCaught() {
        StateKey key = StateKey.of("/Removed", ObjectId.of(new byte[] {1}));
        CrashSweep sweep =
                CrashSweep.of((disk, directory) -> ToyStore.open(disk, directory, ToyBug.NOTHING_TO_FORCE), store -> {
                    store.write(key, new byte[10], Durability.FORCED);
                    store.remove(key, Durability.DEFERRED);
                    store.remove(key, Durability.FORCED);
                });

        assertThatThrownBy(sweep::run).isInstanceOf(AssertionError.class).hasMessageStartingWith("crash at operation=");
    }
}
