package io.tallystick.durability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.durability.run.StageCatalog;
import io.tallystick.durability.stage.SoakStage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.LogLevels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The stages on real processes and real disks find what is wrong: one that passes a liar proves nothing of the others.
 */
@Timeout(240)
class LyingStoresTest {
    // A kill finds a lie only where something is queued in that moment.
    private static final int MAX_CASES = 40;
    private static final boolean FULL =
            Boolean.getBoolean("tallystick.test.full") || "all".equals(System.getProperty("durability.liars"));

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "powercut, lying-forces-nothing-journal-segmented-direct, violated: key=",
        "torn, lying-forces-nothing-journal-segmented-channel, violated: key=",
    })
    void aLiarIsCaught(String stage, String subject, String how) throws IOException {
        assertThat(caught(stage, subject)).contains(how);
    }

    @ParameterizedTest
    @CsvSource({
        "powercut, lying-forces-nothing-file, ''",
        "powercut, lying-forces-nothing-journal-segmented-channel, violated: key=",
        "torn, lying-forces-nothing-file, ''",
        "torn, lying-forces-nothing-journal-segmented-direct, violated: key=",
        "environment, lying-ignores-locks-file, SECOND_OPENER",
        "kill, lying-acknowledges-early-journal-segmented-channel, violated: key=",
        "soak, lying-acknowledges-early-journal-segmented-channel, violated: key=",
        "space, lying-ignores-a-full-disk-file, ''",
        "filesystems, lying-ignores-a-full-disk-file, FULL: ",
        "filesystems, lying-acknowledges-early-journal-segmented-channel, violated: ",
        "environment, lying-breaks-on-interrupt-file, INTERRUPTS",
        "ring, inmemory, I14 atomic 2PC",
    })
    void aLiarIsCaughtWhereThereIsTime(String stage, String subject, String how) throws IOException {
        assumeTrue(FULL, "skipped: takes half a minute, -Ddurability.liars=all runs it");
        assertThat(caught(stage, subject)).contains(how);
    }

    private String caught(String stageName, String subjectName) throws IOException {
        LogLevels.silence();
        // The long lives of a soak leave time for few kills.
        Stage stage = stageName.equals("soak") ? SoakStage.ofShortLives() : StageCatalog.named(stageName);
        stage.unavailableBecause().ifPresent(reason -> assumeTrue(false, "skipped: " + reason));
        Subject liar = SubjectCatalog.named(List.of(subjectName)).get(0);
        try (Stage.Session session = stage.open(liar, directory)) {
            for (long seed = 1; seed <= MAX_CASES; seed++) {
                try {
                    session.run(seed);
                } catch (AssertionError | Exception violation) {
                    return violation.toString();
                }
            }
        }
        throw new AssertionError(stageName + " let " + subjectName + " pass " + MAX_CASES + " times");
    }
}
