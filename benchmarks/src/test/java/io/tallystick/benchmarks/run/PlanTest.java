package io.tallystick.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlanTest {
    private static final List<DiskKind> NO_DISK = List.of();

    @Test
    void quickRunOfItsOwnStoresTakesLessThanFourMinutes() {
        Plan plan = Plan.of(
                RunSize.QUICK,
                workload(RunSize.QUICK, Selection.stores(RunSize.QUICK.stores()))
                        .cells(Selection.stores(RunSize.QUICK.stores())),
                List.of(DiskKind.values()));

        assertThat(plan.estimate()).isBetween(Duration.ofSeconds(190), Duration.ofSeconds(240));
    }

    @Test
    void standardRunOfItsOwnStoresTakesAboutAQuarterOfAnHour() {
        List<Subject> own = Selection.stores(RunSize.STANDARD.stores());
        Plan plan = Plan.of(RunSize.STANDARD, workload(RunSize.STANDARD, own).cells(own), List.of(DiskKind.values()));

        assertThat(plan.estimate()).isBetween(Duration.ofMinutes(13), Duration.ofMinutes(17));
    }

    @Test
    void standardRunOfEveryStoreTakesLongerThanItsBudget() {
        Plan plan = Plan.of(
                RunSize.STANDARD,
                workload(RunSize.STANDARD, SubjectCatalog.all()).cells(SubjectCatalog.all()),
                List.of(DiskKind.values()));

        assertThat(plan.transactionTiming().iteration())
                .isEqualTo(RunSize.STANDARD.iteration().least());
        assertThat(plan.estimate()).isBetween(Duration.ofMinutes(17), Duration.ofMinutes(40));
    }

    @Test
    void aStoreThatOnlyWaitsForItsTimerIsMeasuredOnceByAQuickRun() {
        List<Subject> subjects = Selection.stores(List.of("narayana-journal-nio,narayana-slots"));
        Workload quick = workload(RunSize.QUICK, subjects, 1, 16, 100);

        assertThat(quick.cells(subjects))
                .filteredOn(cell -> cell.store().equals("narayana-journal-nio"))
                .extracting(Cell::threads)
                .containsExactly(16);
        assertThat(workload(RunSize.QUICK, subjects, 1, 100).cells(subjects)).hasSize(4);
        assertThat(workload(RunSize.STANDARD, subjects, 1, 16, 100).cells(subjects))
                .hasSize(6);
    }

    @Test
    void storesInADatabaseMakeTheOtherStepsNoShorter() {
        List<Subject> own = Selection.stores(RunSize.STANDARD.stores());
        List<Subject> all = new ArrayList<>(own);
        all.addAll(SubjectCatalog.databases());
        Workload both = workload(RunSize.STANDARD, all);
        Plan with = Plan.of(RunSize.STANDARD, both.cells(all), both.databaseCells(all, true), NO_DISK);
        Plan without = Plan.of(RunSize.STANDARD, both.cells(own), NO_DISK);

        assertThat(both.cells(all)).isEqualTo(both.cells(own));
        assertThat(with.transactionTiming()).isEqualTo(without.transactionTiming());
        assertThat(with.steps()).filteredOn(Cell.Statements.class::isInstance).hasSize(4 * 8);
        assertThat(with.steps()).filteredOn(Cell.Takeover.class::isInstance).hasSize(4 * 4);
        assertThat(both.databaseCells(all, false)).noneMatch(Cell.Statements.class::isInstance);
    }

    @Test
    void storesAreInterleavedWithinEachCountOfThreads() {
        List<Subject> subjects = Selection.stores(List.of("narayana-file,narayana-slots"));
        Plan plan =
                Plan.of(RunSize.QUICK, workload(RunSize.QUICK, subjects, 1, 4).cells(subjects), NO_DISK);

        assertThat(plan.steps())
                .extracting(Cell::label)
                .containsExactly(
                        "narayana-file 2PC 1 thread",
                        "narayana-slots 2PC 1 thread",
                        "narayana-file 2PC 4 threads",
                        "narayana-slots 2PC 4 threads");
    }

    @Test
    void eachRoundBeginsWithAnotherStore() {
        List<Subject> subjects = Selection.stores(List.of("narayana-file,narayana-slots"));
        Plan plan = Plan.of(
                RunSize.STANDARD, workload(RunSize.STANDARD, subjects, 1).cells(subjects), NO_DISK);

        assertThat(plan.steps())
                .extracting(cell -> ((Cell.Transactions) cell).store())
                .containsExactly(
                        "narayana-file",
                        "narayana-slots",
                        "narayana-slots",
                        "narayana-file",
                        "narayana-file",
                        "narayana-slots",
                        "narayana-slots",
                        "narayana-file");
    }

    @Test
    void diskIsMeasuredInEachRoundAndWithOneWriterOnceMoreAtTheEnd() {
        List<Subject> subjects = Selection.stores(List.of("narayana-file"));
        Plan plan = Plan.of(
                RunSize.STANDARD, workload(RunSize.STANDARD, subjects, 1).cells(subjects), List.of(DiskKind.FORCED));

        assertThat(plan.steps())
                .filteredOn(Cell.DiskWrites.class::isInstance)
                .extracting(Cell::threads)
                .containsExactly(1, 2, 4, 16, 1, 2, 4, 16, 1, 2, 4, 16, 1, 2, 4, 16, 1);
        assertThat(plan.steps().get(plan.steps().size() - 1)).isInstanceOf(Cell.DiskWrites.class);
    }

    @Test
    void fewCellsAreMeasuredLongerButNotLongerThanIsUseful() {
        List<Subject> one = Selection.stores(List.of("narayana-file"));
        Plan.Timing few = Plan.of(RunSize.QUICK, workload(RunSize.QUICK, one, 1).cells(one), NO_DISK)
                .transactionTiming();
        Plan.Timing many = Plan.of(
                        RunSize.QUICK,
                        workload(RunSize.QUICK, SubjectCatalog.all()).cells(SubjectCatalog.all()),
                        NO_DISK)
                .transactionTiming();

        assertThat(few.iteration()).isEqualTo(RunSize.QUICK.iteration().most());
        assertThat(many.iteration()).isEqualTo(RunSize.QUICK.iteration().least());
    }

    @Test
    void onePhaseCommitsAreMeasuredInMemoryOnlyUnlessAskedFor() {
        List<Subject> subjects = Selection.stores(List.of("inmemory,narayana-file"));
        Workload unasked = workload(RunSize.QUICK, subjects, List.of(1), List.of(Protocol.values()), false);
        Workload asked = workload(RunSize.QUICK, subjects, List.of(1), List.of(Protocol.ONE_PHASE), true);

        assertThat(unasked.cells(subjects))
                .filteredOn(cell -> cell.protocol() == Protocol.ONE_PHASE)
                .extracting(Cell.Transactions::store)
                .containsExactly("inmemory");
        assertThat(asked.cells(subjects))
                .extracting(Cell.Transactions::store)
                .containsExactly("inmemory", "narayana-file");
    }

    @Test
    void thoseWhoKeepTimeLimitsAreComparedByOnePhaseCommitsUnlessTwoPhasesAreAskedFor() {
        List<Subject> subjects =
                Selection.stores(List.of("inmemory,inmemory-narayana-reaper,inmemory-tallystick-reaper"));
        Workload unasked = workload(RunSize.QUICK, subjects, List.of(1), List.of(Protocol.values()), false);
        Workload asked = workload(RunSize.QUICK, subjects, List.of(1), List.of(Protocol.TWO_PHASE), true);

        assertThat(unasked.cells(subjects))
                .extracting(Cell::label)
                .containsExactly(
                        "inmemory 1PC 1 thread",
                        "inmemory-narayana-reaper 1PC 1 thread",
                        "inmemory-tallystick-reaper 1PC 1 thread",
                        "inmemory 2PC 1 thread");
        assertThat(asked.cells(subjects)).hasSize(3);
    }

    @Test
    void whatWasMeasuredBeforeIsNotMeasuredAgain() {
        Cell one = new Cell.Transactions("file", Protocol.TWO_PHASE, 1);
        Cell other = new Cell.Transactions("file", Protocol.TWO_PHASE, 4);
        Plan.Timing timing = new Plan.Timing(Duration.ZERO, Duration.ZERO, 1, Duration.ofSeconds(1));
        Plan plan = new Plan(List.of(one, other, one, other), 2, timing, timing);

        assertThat(plan.without(Map.of(one, 2, other, 1)).steps()).containsExactly(other);
        assertThat(plan.without(Map.of())).isEqualTo(plan);
    }

    private static Workload workload(RunSize size, List<Subject> subjects) {
        return workload(size, subjects, size.threads(), List.of(Protocol.values()), false);
    }

    private static Workload workload(RunSize size, List<Subject> subjects, Integer... threads) {
        return workload(size, subjects, List.of(threads), List.of(Protocol.TWO_PHASE), false);
    }

    private static Workload workload(
            RunSize size, List<Subject> subjects, List<Integer> threads, List<Protocol> protocols, boolean areNamed) {
        return new Workload(size, subjects, threads, new Workload.Protocols(protocols, areNamed), Set.of(), List.of());
    }
}
