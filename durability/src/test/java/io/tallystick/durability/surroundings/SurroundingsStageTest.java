package io.tallystick.durability.surroundings;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.bytecode.CodeChange;
import io.tallystick.durability.planted.PlantedBug;
import io.tallystick.durability.planted.PlantedClasses;
import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.subject.SubjectCatalog;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class SurroundingsStageTest {
    private static final String FILE_STORE = "file";
    private static final int MAX_CASES = 40;

    @TempDir
    private Path scratch;

    @Test
    void aSoundStoreLivesOnAndItsAcknowledgementsAreCounted() throws Exception {
        try (Stage.Session session = new SurroundingsStage().open(subject(), scratch)) {
            Counts counts = Counts.NOTHING;
            for (long seed = 1; seed <= 3; seed++) {
                counts = counts.plus(session.run(seed));
            }

            assertThat(counts.of("lives")).isGreaterThanOrEqualTo(3);
            assertThat(counts.of("acknowledged")).isPositive();
            assertThat(counts.table()).anyMatch(line -> line.startsWith("locale: "));
        }
    }

    @Test
    void aBugInTheClassesOfTheOtherProcessIsCaught() throws Exception {
        PlantedBug bug = new PlantedBug(
                "test",
                "forced writes lie",
                "surroundings",
                FILE_STORE,
                "io.tallystick.store.file.FileStore",
                "write",
                List.of(new CodeChange("return")));
        PlantedSubject planted = new PlantedSubject(subject(), bug, PlantedClasses.with(bug));
        String caught = "";
        try (Stage.Session session = new SurroundingsStage().open(planted, scratch)) {
            for (long seed = 1; seed <= MAX_CASES && caught.isEmpty(); seed++) {
                try {
                    session.run(seed);
                } catch (AssertionError violation) {
                    caught = violation.getMessage();
                }
            }
        }

        assertThat(caught).contains(" violated: ", "life 1 of ", "locale=", "seed=");
    }

    private static ConfiguredSubject subject() {
        return (ConfiguredSubject) SubjectCatalog.named(List.of(FILE_STORE)).get(0);
    }
}
