package io.tallystick.durability.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.StageLog;
import io.tallystick.durability.Violation;
import io.tallystick.durability.stage.CrashStage;
import io.tallystick.durability.stage.StageRequest;
import io.tallystick.durability.stage.StageResult;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every stage may rely on: shares, seeds, resuming, seed files, hangs. */
class StageRunTest {
    @TempDir
    private Path directory;

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final List<Long> seeds = new ArrayList<>();

    @Test
    void eachSubjectGetsItsShareOfTheCount() throws Exception {
        StageResult result = run(stage(seed -> Counts.of("things", 2)), 1, 10, false);

        assertThat(result.counts().get("file").of("things")).isEqualTo(6);
        assertThat(result.counts().get("inmemory").of("things")).isEqualTo(6);
        assertThat(result.line())
                .contains("fake seed=1 things=12 (file 6, inmemory 6) violations=0")
                .doesNotContain("unfinished");
    }

    @Test
    void aViolationLeavesASeedFileAndTheCommandThatRepeatsIt() throws Exception {
        StageResult result = run(
                stage(seed -> {
                    if (seed == 3) {
                        throw new AssertionError("I1 durable violated");
                    }
                    return Counts.of("things", 1);
                }),
                1,
                10,
                false);

        assertThat(result.violations()).hasSize(2);
        assertThat(result.violationsInOurs()).isEqualTo(2);
        assertThat(told.toString(StandardCharsets.UTF_8))
                .contains("testkit/run fake --seed 3 --count 1 --subject file")
                .contains("I1 durable violated");
        assertThat(Files.readString(directory.resolve("results/fake-file-3.violation")))
                .contains("seed: 3", "I1 durable violated", "at io.tallystick.durability.run.StageRunTest");
    }

    @Test
    void aCaseThatASignalEndsIsNoViolationAndIsRunAgain() throws Exception {
        List<Long> judged = new ArrayList<>();
        Stage stage = stage(seed -> {
            if (judged.size() == 2) {
                throw new IllegalStateException("the server has ended");
            }
            judged.add(seed);
            return Counts.of("things", 1);
        });
        StageRequest request = request(stage, SubjectCatalog.named(List.of("file")), 5, 10, true);
        StageResult ended = StageRun.run(request, log(), () -> true);
        assertThat(ended.violations()).isEmpty();
        assertThat(ended.line()).contains("things=2", "unfinished");

        judged.clear();
        StageRun.run(request, log(), () -> true);
        assertThat(judged).containsExactly(7L, 8L);
    }

    @Test
    void aRunThatIsResumedOftenCountsEachOfManyCountersOnce() throws Exception {
        Stage stage = stage(seed -> {
            Counts counts = Counts.of("things", 1);
            for (int i = 11; i > 0; i--) {
                counts = counts.and("other" + i, 2);
            }
            return counts;
        });
        run(stage, 7, 4, false);
        run(stage, 7, 8, true);
        StageResult result = run(stage, 7, 12, true);

        assertThat(result.total().of("things")).isEqualTo(12);
        for (int i = 11; i > 0; i--) {
            assertThat(result.total().of("other" + i)).as("other" + i).isEqualTo(24);
        }
    }

    @Test
    void aRunThatIsResumedGoesOnWithTheNextSeed() throws Exception {
        Stage stage = stage(seed -> {
            seeds.add(seed);
            return Counts.of("things", 1).and("others", 5);
        });
        run(stage, 7, 4, false);
        StageResult result = run(stage, 7, 8, true);

        assertThat(seeds).containsExactly(7L, 8L, 7L, 8L, 9L, 10L, 9L, 10L);
        assertThat(result.total().of("things")).isEqualTo(8);
        assertThat(result.total().of("others")).isEqualTo(40);
    }

    @Test
    void aRunThatIsOutOfTimeSaysThatItIsUnfinished() throws Exception {
        Stage stage = stage(seed -> Counts.of("things", 1));
        StageResult result = StageRun.run(
                new StageRequest(
                        stage,
                        SubjectCatalog.named(List.of("file")),
                        1,
                        10,
                        false,
                        Duration.ZERO,
                        1,
                        directory.resolve("results"),
                        directory.resolve("scratch")),
                new StageLog(new PrintStream(told, true, StandardCharsets.UTF_8)));

        assertThat(result.finished()).isFalse();
        assertThat(result.line()).contains("unfinished");
    }

    @Test
    void aCaseThatDoesNotEndIsAViolation() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        StageResult result = run(
                stage(seed -> {
                    if (seed == 1) {
                        never.await();
                    }
                    return Counts.of("things", 1);
                }),
                1,
                4,
                false);
        never.countDown();

        assertThat(result.violations())
                .extracting(Violation::summary)
                .allMatch(summary -> summary.startsWith("I12 liveness violated"))
                .hasSize(2);
    }

    @Test
    void aSubjectThatTheStageRefusesIsSkippedWithTheReason() throws Exception {
        StageResult result = StageRun.run(
                request(new CrashStage(), SubjectCatalog.named(List.of("inmemory")), 1, 1, false),
                new StageLog(new PrintStream(told, true, StandardCharsets.UTF_8)));

        assertThat(result.counts()).isEmpty();
        assertThat(told.toString(StandardCharsets.UTF_8)).contains("skipped inmemory: it promises nothing");
    }

    private StageResult run(Stage stage, long seed, long count, boolean resume) throws Exception {
        return StageRun.run(
                request(stage, SubjectCatalog.named(List.of("file", "inmemory")), seed, count, resume), log());
    }

    private StageLog log() {
        return new StageLog(new PrintStream(told, true, StandardCharsets.UTF_8));
    }

    private StageRequest request(Stage stage, List<Subject> subjects, long seed, long count, boolean resume) {
        return new StageRequest(
                stage,
                subjects,
                seed,
                count,
                resume,
                StageRequest.NO_LIMIT,
                1,
                directory.resolve("results"),
                directory.resolve("scratch"));
    }

    private static Stage stage(Stage.Session session) {
        return new Stage() {
            @Override
            public String name() {
                return "fake";
            }

            @Override
            public String description() {
                return "a stage for tests";
            }

            @Override
            public String unit() {
                return "things";
            }

            @Override
            public long quickCount() {
                return 1;
            }

            @Override
            public long fullCount() {
                return 1;
            }

            @Override
            public int patienceSeconds() {
                return 1;
            }

            @Override
            public Optional<String> refuses(Subject subject) {
                return Optional.empty();
            }

            @Override
            public Session open(Subject subject, Path scratch) {
                return session;
            }
        };
    }
}
