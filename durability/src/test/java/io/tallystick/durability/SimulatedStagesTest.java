package io.tallystick.durability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.durability.run.StageCatalog;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.LogLevels;
import io.tallystick.testkit.disk.LateWrite;
import io.tallystick.testkit.oracle.LateWriteSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A case of each stage on a simulated disk that a build has time for, and a store that the stage must find. */
class SimulatedStagesTest {
    private static final String DIRECT = "journal-segmented-direct";

    @TempDir
    private Path scratch;

    @BeforeAll
    static void tellsNothing() {
        LogLevels.silence();
    }

    @ParameterizedTest
    @CsvSource({"pairwise, " + DIRECT + ", 12", "late-writes, " + DIRECT + ", 10"})
    void aCaseKeepsThePromises(String name, String subject, int units) throws Exception {
        Stage stage = StageCatalog.named(name);
        try (Stage.Session session = stage.open(subject(subject), scratch)) {
            assertThat(session.run(1).of(stage.unit())).isGreaterThanOrEqualTo(units);
        }
    }

    @Test
    void aStoreThatIsOpenedAgainBesideALateWriteIsCaught() {
        Subject journal = subject(DIRECT);
        LateWriteSweep forgetful = LateWriteSweep.of(journal::open, StoreWorkload.history(1, 8), 2, 1)
                .with(LateWrite::forgotten);

        assertThatThrownBy(forgetful::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("I11 one owner violated");
    }

    private static Subject subject(String name) {
        return SubjectCatalog.named(List.of(name)).get(0);
    }
}
