package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The time of a run, and its default measurements. Times within the bounds follow from the budget: few cells are
 * measured longer, many shorter. A run of very many cells takes longer than its budget.
 */
public enum RunSize {
    /** Figures in less than five minutes, of which half warm the JVMs up. */
    QUICK(
            List.of(1, 16, 100, 400),
            Set.of("inmemory", "inmemory-narayana-reaper", "inmemory-tallystick-reaper"),
            new Effort(1, 1, 3, Duration.ofSeconds(215)),
            new Lengths(
                    new Span(Duration.ofMillis(100), Duration.ofSeconds(1)),
                    new Span(Duration.ofMillis(250), Duration.ofSeconds(2)),
                    Duration.ofMillis(300))),
    /** Figures to decide by. */
    STANDARD(
            List.of(1, 4, 16, 100, 400),
            Set.of("inmemory", "inmemory-narayana-reaper", "inmemory-tallystick-reaper"),
            new Effort(2, 2, 2, Duration.ofMinutes(14).plusSeconds(30)),
            new Lengths(
                    new Span(Duration.ofMillis(300), Duration.ofSeconds(2)),
                    new Span(Duration.ofMillis(600), Duration.ofSeconds(3)),
                    Duration.ofMillis(500))),
    /** Figures to publish, without a limit of time. */
    FULL(
            List.of(1, 4, 16, 100, 400),
            Set.of(
                    "inmemory",
                    "inmemory-narayana-reaper",
                    "inmemory-tallystick-reaper",
                    "inmemory-tallystick-manager",
                    "narayana-volatile"),
            new Effort(5, 2, 2, Duration.ofDays(1)),
            new Lengths(
                    new Span(Duration.ofMillis(500), Duration.ofSeconds(2)),
                    new Span(Duration.ofSeconds(1), Duration.ofSeconds(3)),
                    Duration.ofSeconds(1))),
    /** Ratios of our journal to compare with a baseline, in about three minutes. */
    GUARD(List.of(1, 16, 100), Set.of(), new Effort(2, 3, 2, Duration.ofSeconds(185)), Lengths.OF_GUARD),
    /** The same with more JVMs: the ratios of a JVM depend on how it compiled. */
    BASELINE(List.of(1, 16, 100), Set.of(), new Effort(6, 3, 2, Duration.ofSeconds(540)), Lengths.OF_GUARD);

    /** Stores in one variant each, for runs that must end soon. */
    public static final List<String> ONE_OF_EACH = List.of(
            "inmemory",
            "inmemory-narayana-reaper",
            "inmemory-tallystick-reaper",
            "file",
            "journal-segmented-auto",
            "journal-artemis-auto",
            "narayana-file",
            "narayana-slots",
            "narayana-journal-nio",
            "narayana-journal-nio-tuned",
            "narayana-journal-aio-tuned");

    /** The stores of a quick run. */
    private static final List<String> QUICKLY = List.of(
            "inmemory",
            "inmemory-narayana-reaper",
            "inmemory-tallystick-reaper",
            "file",
            "journal-segmented-auto",
            "narayana-file",
            "narayana-slots",
            "narayana-journal-nio",
            "narayana-journal-nio-tuned");

    /** The stores of a guard: ours, the upper limit, and the peers of which one is the best in each table. */
    private static final List<String> GUARDED =
            List.of("inmemory", "journal-segmented-auto", "narayana-slots", "narayana-journal-nio-tuned");

    /** A quick run measures it with so many threads alone: it waits for its timer, with any number of them. */
    private static final Map<String, Integer> QUICKLY_ONCE = Map.of("narayana-journal-nio", 16);

    private final List<Integer> threads;
    private final Set<String> onePhaseStores;
    private final Effort effort;
    private final Lengths lengths;

    RunSize(List<Integer> threads, Set<String> onePhaseStores, Effort effort, Lengths lengths) {
        this.threads = threads;
        this.onePhaseStores = onePhaseStores;
        this.effort = effort;
        this.lengths = lengths;
    }

    List<Integer> threads() {
        return threads;
    }

    /**
     * The stores for one-phase commits, if the request names none. One-phase commits touch no store, so these rows
     * compare only the transaction manager and the reapers.
     */
    Set<String> onePhaseStores() {
        return onePhaseStores;
    }

    List<String> stores() {
        return switch (this) {
            case QUICK -> QUICKLY;
            case STANDARD -> ONE_OF_EACH;
            case FULL -> SubjectCatalog.names();
            case GUARD, BASELINE -> GUARDED;
        };
    }

    /** Whether the store is measured with so many threads; {@code ofTheRun} are those of the run. */
    boolean isWanted(String store, int count, List<Integer> ofTheRun) {
        Integer once = this == QUICK ? QUICKLY_ONCE.get(store) : null;
        return once == null || once == count || !ofTheRun.contains(once);
    }

    /** The number of measurements of each cell. */
    int rounds() {
        return effort.jvms() * effort.turns();
    }

    /** JVMs of each store, one after the other. */
    int jvms() {
        return effort.jvms();
    }

    /** Measurements of a cell in one JVM. */
    int turns() {
        return effort.turns();
    }

    /** Iterations of one measurement. */
    int iterations() {
        return effort.iterations();
    }

    Duration budget() {
        return effort.budget();
    }

    Span warmup() {
        return lengths.warmup();
    }

    Span iteration() {
        return lengths.iteration();
    }

    /** Numbers of writers with which the disk is measured. */
    List<Integer> diskWriters() {
        return this == GUARD || this == BASELINE ? List.of(1) : List.of(1, 2, 4, 16);
    }

    Duration diskIteration() {
        return lengths.diskIteration();
    }

    /**
     * The number of measurements of a cell, and their time.
     *
     * @param jvms new JVMs for each store
     * @param turns measurements of each cell in one JVM
     * @param iterations in each measurement
     * @param budget the time of the whole run, if the bounds of the lengths allow it
     */
    private record Effort(int jvms, int turns, int iterations, Duration budget) {}

    /** The lengths of a warm-up, of an iteration, and of an iteration that measures the disk. */
    private record Lengths(Span warmup, Span iteration, Duration diskIteration) {
        private static final Lengths OF_GUARD = new Lengths(
                new Span(Duration.ofMillis(200), Duration.ofMillis(300)),
                new Span(Duration.ofMillis(350), Duration.ofMillis(600)),
                Duration.ofMillis(300));
    }

    /**
     * Bounds of a time.
     *
     * @param least a shorter time gives no useful figure
     * @param most a longer time gives no better figure
     */
    record Span(Duration least, Duration most) {
        Duration clamp(Duration time) {
            if (time.compareTo(least) < 0) {
                return least;
            }
            return time.compareTo(most) > 0 ? most : time;
        }
    }
}
