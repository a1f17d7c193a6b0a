package io.tallystick.durability.stage;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.SubjectCatalog;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schedules that once found a violation. */
class SchedulesStageTest {
    @TempDir
    private Path scratch;

    @Test
    void aReaderOfAFreedSegmentLetsTheThreadGoOnThatSettlesTheLaterVersion() {
        assertThatCode(() -> run("journal-segmented-direct", 151)).doesNotThrowAnyException();
    }

    private void run(String subject, long seed) throws Exception {
        try (Stage.Session session =
                new SchedulesStage().open(SubjectCatalog.named(List.of(subject)).get(0), scratch)) {
            session.run(seed);
        }
    }
}
