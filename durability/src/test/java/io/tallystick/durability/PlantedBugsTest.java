package io.tallystick.durability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each bug that can be planted fits the sources of today, and those that are caught quickly are caught in every build;
 * {@code testkit/run planted} runs them all.
 */
class PlantedBugsTest {
    private static final String FILE =
            "store-journal/src/main/java/io/tallystick/store/journal/segmented/SegmentRecovery.java";
    private static final List<String> QUICK = List.of("schedules", "corruption", "model");

    @TempDir
    private Path scratch;

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    @Test
    void thereAreThirtyAndEachFitsTheSources() throws Exception {
        List<PlantedBug> bugs = PlantedBug.all();

        assertThat(bugs).hasSizeGreaterThanOrEqualTo(30);
        assertThat(bugs).extracting(PlantedBug::name).doesNotHaveDuplicates();
        for (PlantedBug bug : bugs) {
            assertThat(bug.plantedIn(ProjectRoot.path())).contains(bug.replacement());
            assertThat(StageCatalog.named(bug.stage()).refuses(subject(bug.subject())))
                    .isEmpty();
        }
    }

    @Test
    void eachThatIsCaughtQuicklyIsCaught() throws Exception {
        List<PlantedBug> quick = PlantedBug.all().stream()
                .filter(bug -> QUICK.contains(bug.stage()))
                .toList();

        assertThat(run().run(quick))
                .filteredOn(outcome -> !outcome.isCaught())
                .extracting(outcome -> outcome.bug().name())
                .isEmpty();
    }

    @Test
    void aBugThatChangesNothingSurvives() throws Exception {
        PlantedBug harmless = bug("audit.highest() + SEQUENCE_STEP", "audit.highest() + 1 + SEQUENCE_STEP - 1");

        assertThat(run().run(List.of(harmless))).noneMatch(PlantedRun.Outcome::isCaught);
        assertThat(told.toString(StandardCharsets.UTF_8)).contains("SURVIVED  test");
    }

    @Test
    void aStoreThatHangsIsCaught() throws Exception {
        PlantedBug hangs = bug(
                "superseded = index.remove(record.key());",
                "while (true) { java.util.concurrent.locks.LockSupport.park(); }");

        PlantedRun impatient = new PlantedRun(ProjectRoot.path(), scratch, log(), 1);

        assertThat(impatient.run(List.of(hangs))).allMatch(PlantedRun.Outcome::isCaught);
        assertThat(told.toString(StandardCharsets.UTF_8))
                .contains("planting  test  (1 of 1)", "I12 liveness violated: no end within 1 s");
    }

    @Test
    void aBugWhoseTextIsGoneIsVoidAndFailsTheRun() {
        assertThatThrownBy(() -> run().run(List.of(bug("no such text", "whatever"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("void");
    }

    @Test
    void aStoreThatDoesNotWorkAtAllProvesNothing() {
        PlantedBug broken = bug(
                "Result recover(ConcurrentHashMap<StateKey, Append> index) throws IOException {",
                "Result recover(ConcurrentHashMap<StateKey, Append> index) throws IOException {\n"
                        + "        if (index != null) { throw new IOException(); }");

        assertThatThrownBy(() -> run().run(List.of(broken)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("void");
    }

    private PlantedRun run() {
        return new PlantedRun(ProjectRoot.path(), scratch, log());
    }

    private StageLog log() {
        return new StageLog(new PrintStream(told, true, StandardCharsets.UTF_8));
    }

    private static Subject subject(String name) {
        return SubjectCatalog.named(List.of(name)).get(0);
    }

    private static PlantedBug bug(String find, String replacement) {
        return new PlantedBug("test", "a test", "model", "journal-segmented-channel", FILE, find, replacement);
    }
}
