package io.tallystick.durability.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.durability.Share;
import io.tallystick.durability.StageLog;
import io.tallystick.durability.bytecode.CodeChange;
import io.tallystick.durability.run.PlantedRun;
import io.tallystick.durability.run.StageCatalog;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each bug that can be planted fits the classes of today, and some are caught in every build. The profile {@code long}
 * plants those that are caught quickly, {@code testkit/run planted} plants them all.
 */
class PlantedBugsTest {
    private static final String RECOVERY = "io.tallystick.store.journal.segment.SegmentRecovery";
    private static final String RECOVER = "recover(Ljava/util/concurrent/ConcurrentHashMap;)"
            + "Lio/tallystick/store/journal/segment/SegmentRecovery$Result;";
    private static final List<String> QUICK = List.of("schedules", "corruption", "model");

    /** Those that need thousands of schedules, which are others after each change of the code. */
    private static final Set<String> RARE = Set.of("segmented-counts-a-replaced-removal-as-dead");

    @TempDir
    private Path scratch;

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    @Test
    void thereAreFiftyAndEachFitsTheClasses() throws Exception {
        List<PlantedBug> bugs = PlantedBug.all();

        assertThat(bugs).hasSizeGreaterThanOrEqualTo(50);
        assertThat(bugs).extracting(PlantedBug::name).doesNotHaveDuplicates();
        for (PlantedBug bug : bugs) {
            assertThat(PlantedClasses.with(bug).verified(bug.className())).isNotNull();
            assertThat(StageCatalog.named(bug.stage()).refuses(subject(bug.subject())))
                    .isEmpty();
        }
    }

    @Test
    void oneOfEachQuickStageIsCaught() throws Exception {
        Set<String> chosen = new HashSet<>();
        assertAllAreCaught(
                quick().stream().filter(bug -> chosen.add(bug.stage())).toList());
    }

    /** {@code -Ddurability.planted=K/N} plants those whose place in the list is K modulo N; otherwise all. */
    @Tag("long")
    @Test
    void eachThatIsCaughtQuicklyIsCaught() throws Exception {
        assertAllAreCaught(Share.asked("durability.planted").of(quick()));
    }

    private static List<PlantedBug> quick() {
        return PlantedBug.all().stream()
                .filter(bug -> QUICK.contains(bug.stage()) && !RARE.contains(bug.name()))
                .toList();
    }

    private void assertAllAreCaught(List<PlantedBug> bugs) throws Exception {
        assertThat(run().run(bugs))
                .filteredOn(outcome -> !outcome.isCaught())
                .extracting(outcome -> outcome.bug().name())
                .isEmpty();
    }

    @Test
    void aBugThatChangesNothingSurvives() throws Exception {
        PlantedBug harmless = bug(RECOVERY, "firstSequence", "use 1025 instead of 1024");

        assertThat(run().run(List.of(harmless))).noneMatch(PlantedRun.Outcome::isCaught);
        assertThat(told.toString(StandardCharsets.UTF_8)).contains("SURVIVED  test");
    }

    @Test
    void aStoreThatHangsIsCaught() throws Exception {
        PlantedBug hangs = bug(RECOVERY + "$1", "record", "hang in ConcurrentHashMap.remove");

        PlantedRun impatient = new PlantedRun(scratch, log(), 1);

        assertThat(impatient.run(List.of(hangs))).allMatch(PlantedRun.Outcome::isCaught);
        assertThat(told.toString(StandardCharsets.UTF_8))
                .contains("planting  test  (1 of 1)", "I12 liveness violated: no end within 1 s");
    }

    @Test
    void aBugWhosePlaceIsGoneIsVoidAndFailsTheRun() {
        PlantedBug gone = bug(RECOVERY, "recover", "skip Nowhere.toBeFound");

        assertThatThrownBy(() -> run().run(List.of(gone)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("the bug test is void", "'skip Nowhere.toBeFound'", "places=0");
    }

    @Test
    void aBugWhoseMethodIsGoneIsVoidAndFailsTheRun() {
        assertThatThrownBy(() -> run().run(List.of(bug(RECOVERY, "gone", "return"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("the bug test is void", "there is no method gone");
    }

    @Test
    void aStoreThatDoesNotWorkAtAllProvesNothing() {
        PlantedBug broken = bug(RECOVERY, RECOVER, "return null");

        assertThatThrownBy(() -> run().run(List.of(broken)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("void");
    }

    private PlantedRun run() {
        return new PlantedRun(scratch, log());
    }

    private StageLog log() {
        return new StageLog(new PrintStream(told, true, StandardCharsets.UTF_8));
    }

    private static Subject subject(String name) {
        return SubjectCatalog.named(List.of(name)).get(0);
    }

    private static PlantedBug bug(String className, String method, String change) {
        return new PlantedBug(
                "test",
                "a test",
                "model",
                "journal-segmented-channel",
                className,
                method,
                List.of(new CodeChange(change)));
    }
}
