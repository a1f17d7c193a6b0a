package io.tallystick.durability.stage;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Schedules that once found a violation. */
class SchedulesStageTest {
    @TempDir
    private Path scratch;

    static List<String> explored() {
        Stage stage = new SchedulesStage();
        return stage.subjects().stream()
                .filter(subject -> stage.refuses(subject).isEmpty())
                .map(Subject::name)
                .toList();
    }

    /** A class of the product that uses what the rewriter does not know is found by each build. */
    @ParameterizedTest
    @MethodSource("explored")
    void theSchedulesSeeTheSharedStateOfEachSubject(String subject) {
        assertThatCode(() -> run(subject, 1)).doesNotThrowAnyException();
    }

    @Test
    void aReaderOfAFreedSegmentLetsTheThreadGoOnThatSettlesTheLaterVersion() {
        assertThatCode(() -> run("journal-segmented-direct", 5_119)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(longs = {9_005_196, 9_026_434})
    void nobodySpinsBesideTheThreadThatFailsTheStore(long seed) {
        assertThatCode(() -> run("journal-segmented-channel", seed)).doesNotThrowAnyException();
    }

    private void run(String subject, long seed) throws Exception {
        try (Stage.Session session =
                new SchedulesStage().open(SubjectCatalog.named(List.of(subject)).get(0), scratch)) {
            session.run(seed);
        }
    }
}
