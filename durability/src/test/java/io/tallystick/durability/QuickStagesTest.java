package io.tallystick.durability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.tallystick.durability.run.StageCatalog;
import io.tallystick.durability.run.StageRun;
import io.tallystick.durability.stage.StageRequest;
import io.tallystick.durability.stage.StageResult;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every store of ours keeps its promises through as much of the stages as a build has time for. */
@Tag("long")
class QuickStagesTest {
    /** What the tests of the stores or other parts of a build sweep too, and would take minutes here. */
    private static final Set<String> SWEPT_ELSEWHERE = Set.of("crash", "faults-simulated");

    /** What would take minutes, and has a quarter. */
    private static final Set<String> LONGEST = Set.of("model", "surroundings");

    /** Of so many cases a build has half: the rest are more of the same draws. */
    private static final long MANY = 50;

    @TempDir
    private Path directory;

    /** {@code -Ddurability.stages=K/N} takes those whose place in the list is K modulo N; otherwise all. */
    static List<String> stages() {
        return Share.asked("durability.stages")
                .of(StageCatalog.all().stream()
                        .map(Stage::name)
                        .filter(name -> !SWEPT_ELSEWHERE.contains(name))
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("stages")
    void noStoreOfOursBreaksAPromise(String name) throws Exception {
        Stage stage = StageCatalog.named(name);
        stage.unavailableBecause().ifPresent(reason -> assumeFalse(true, "skipped: " + reason));
        long count = LONGEST.contains(name)
                ? stage.quickCount() / 4
                : stage.quickCount() >= MANY ? stage.quickCount() / 2 : stage.quickCount();
        StageRequest request = new StageRequest(
                stage,
                stage.subjects(),
                1,
                count,
                false,
                StageRequest.NO_LIMIT,
                2,
                directory.resolve("results"),
                directory.resolve("scratch"));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

        StageResult result = StageRun.run(request, new StageLog(out));

        System.out.println(result.line());
        assertThat(result.violations()).isEmpty();
        assertThat(result.total().of(stage.unit())).isGreaterThanOrEqualTo(count * 9 / 10);
    }
}
