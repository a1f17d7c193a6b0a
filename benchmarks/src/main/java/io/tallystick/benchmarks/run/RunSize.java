package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The time of a run, and its default measurements. Times within the bounds follow from the budget: few cells are
 * measured longer, many shorter. A run of very many cells takes longer than its budget. The reason is the warm-up:
 * figures from before the compiler has finished mean little, and it takes two to three seconds on two cores.
 */
public enum RunSize {
    /** Figures in about two minutes. */
    QUICK(
            List.of(1, 16, 100),
            Set.of("inmemory", "inmemory-narayana-reaper", "inmemory-tallystick-reaper"),
            new Effort(1, 3, Duration.ofSeconds(105)),
            new Lengths(
                    new Span(Duration.ofMillis(600), Duration.ofSeconds(2)),
                    new Span(Duration.ofMillis(300), Duration.ofSeconds(2)),
                    Duration.ofMillis(300))),
    /** Figures to decide by. */
    STANDARD(
            List.of(1, 4, 16, 100, 400),
            Set.of("inmemory", "inmemory-narayana-reaper", "inmemory-tallystick-reaper"),
            new Effort(2, 3, Duration.ofMinutes(14).plusSeconds(30)),
            new Lengths(
                    new Span(Duration.ofMillis(2_500), Duration.ofSeconds(4)),
                    new Span(Duration.ofMillis(800), Duration.ofSeconds(3)),
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
            new Effort(5, 4, Duration.ofDays(1)),
            new Lengths(
                    new Span(Duration.ofMillis(2_500), Duration.ofSeconds(4)),
                    new Span(Duration.ofSeconds(1), Duration.ofSeconds(3)),
                    Duration.ofSeconds(1)));

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
            case QUICK, STANDARD -> ONE_OF_EACH;
            case FULL -> SubjectCatalog.names();
        };
    }

    /** The number of measurements of each cell, each in a new JVM. */
    int rounds() {
        return effort.rounds();
    }

    /** Iterations in one JVM. */
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

    Duration diskIteration() {
        return lengths.diskIteration();
    }

    /**
     * The number of measurements of a cell, and their time.
     *
     * @param rounds new JVMs for each cell
     * @param iterations in each JVM
     * @param budget the time of the whole run, if the bounds of the lengths allow it
     */
    private record Effort(int rounds, int iterations, Duration budget) {}

    /** The lengths of a warm-up, of an iteration, and of an iteration that measures the disk. */
    private record Lengths(Span warmup, Span iteration, Duration diskIteration) {}

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
