package io.tallystick.durability;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.durability.run.StageCatalog;
import io.tallystick.durability.run.StageRun;
import io.tallystick.durability.stage.StageRequest;
import io.tallystick.durability.stage.StageResult;
import io.tallystick.durability.subject.SubjectCatalog;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The stages find in the peers' stores what is known to be wrong with them, where that takes no root and no long wait;
 * docs/reliability.md has the rest. A stage that finds nothing there is not good enough to find anything in ours.
 */
class PeersTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "corruption, narayana-file, I8 corruption violated",
        "corruption, narayana-journal-nio, I8 corruption violated",
        "interrupts, narayana-journal-nio, I12 liveness violated"
    })
    void whatIsKnownToBeWrongIsFound(String stage, String subject, String invariant) throws Exception {
        StageResult result = StageRun.run(
                new StageRequest(
                        StageCatalog.named(stage),
                        SubjectCatalog.named(List.of(subject)),
                        1,
                        1,
                        false,
                        StageRequest.NO_LIMIT,
                        1,
                        directory.resolve("results"),
                        directory.resolve("scratch")),
                new StageLog(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8)));

        assertThat(result.violations()).extracting(Violation::summary).anyMatch(summary -> summary.contains(invariant));
        assertThat(result.violationsInOurs()).isZero();
    }
}
