package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.SuspendingProcess.Course;
import io.tallystick.storage.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Narayana's own wait until nothing is in doubt, {@code trySuspend(async, waitForWorkLeftToDo)}, over our store. */
@Tag("long")
class SuspensionTest {
    private static final String HEURISTIC = TallystickDrain.ACTIONS + "/TwoPhaseCoordinator/AtomicAction=1";

    @TempDir
    private Path directory;

    private Map<String, String> properties;

    @BeforeEach
    void dieBetweenTheCommits() throws IOException {
        properties = NarayanaProcess.properties(StoreKind.SEGMENTED_CHANNEL.settings(), directory.resolve("store"));
        properties.put("RecoveryEnvironmentBean.periodicRecoveryPeriod", "1");
        ChildJvm.of(CrashingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(
                        CrashingProcess.STATUS,
                        CrashPoint.BETWEEN_COMMITS.event(),
                        String.valueOf(CrashPoint.BETWEEN_COMMITS.times()),
                        transaction().toString());
        assertThat(FileResource.transactions(transaction().resolve("b"), "prepared"))
                .hasSize(1);
    }

    @Test
    void theWaitReturnsWhenTheRecordThatRecoveryCouldNotFinishAtFirstIsGoneAndTheStoreCloses() throws IOException {
        assertThat(suspend(Course.LATE, 0)).contains(SuspendingProcess.LEFT + 0, SuspendingProcess.OPENED_AGAIN + 0);
        assertThat(FileResource.transactions(transaction().resolve("b"), "committed"))
                .hasSize(1);
    }

    @Test
    void aHeuristicDoesNotHoldTheWaitAndOurDrainNamesIt() {
        assertThat(suspend(Course.HEURISTIC, 1))
                .contains(
                        SuspendingProcess.LEFT + 1,
                        SuspendingProcess.REPORT + "not drained",
                        HEURISTIC,
                        SuspendingProcess.OPENED_AGAIN + 1);
    }

    @Test
    void aHeuristicThatNarayanaWaitsForEndsOurDrainAtItsTimeAndTheWaitWithRecovery() {
        assertThat(suspend(Course.HEURISTIC_AWAITED, 6))
                .containsSubsequence(
                        SuspendingProcess.REPORT + "not drained",
                        HEURISTIC,
                        SuspendingProcess.STILL_WAITS + true,
                        SuspendingProcess.LEFT + 1,
                        SuspendingProcess.OPENED_AGAIN + 1);
    }

    @Test
    void aDrainDoesNotHoldTheWaitAndSaysThatItsLastScansDidNotEnd() {
        assertThat(suspend(Course.LATE_BESIDE_A_DRAIN, 15))
                .containsSubsequence(
                        SuspendingProcess.LEFT + 0,
                        SuspendingProcess.REPORT + "unproven",
                        "a scan of recovery has not ended",
                        "recovery is suspended",
                        "pendingActions=0",
                        SuspendingProcess.OPENED_AGAIN + 0);
    }

    private String suspend(Course course, int seconds) {
        return ChildJvm.of(SuspendingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(0, course.name(), transaction().toString(), String.valueOf(seconds));
    }

    private Path transaction() {
        return directory.resolve("resources").resolve("transaction");
    }
}
