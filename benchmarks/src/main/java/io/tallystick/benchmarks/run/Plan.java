package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.measure.StatementBenchmark;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The order and the times of the measurements. Stores are interleaved: for each number of threads one store follows the
 * other, so that other load on the machine affects them all. Each round begins with another store.
 *
 * @param steps cells in the order of the run, each once a round; the disk with one writer once more at the end, because
 *     disks of virtual machines change their speed
 * @param rounds number of measurements of each cell
 * @param warmth of the JVMs that measure transactions
 * @param transactionTiming of one step that measures transactions
 * @param diskTiming of one step that measures the disk
 */
public record Plan(List<Cell> steps, int rounds, Warmth warmth, Timing transactionTiming, Timing diskTiming) {
    /** Writing the records, then recovering them, each in a new JVM. */
    private static final Timing RECOVERY = new Timing(Duration.ofSeconds(5), Duration.ZERO, 1, Duration.ofMillis(500));

    /** Starting a JVM, the transaction manager and a store, and closing them, seen on two cores. */
    public static final Duration START = Duration.ofMillis(1_500);

    /** JMH's own time around the iterations of a step, in a JVM that runs. */
    static final Duration STEP_START = Duration.ofMillis(250);

    /**
     * The first warm-up of a JVM as it is seen on two cores: it ends when the rate is steady, and then goes on with
     * each number of threads.
     */
    private static final Duration WARM_UP = Duration.ofSeconds(12);

    /** One for another protocol or another reaper in a JVM that is warm. */
    private static final Duration FURTHER_WARM_UP = Duration.ofSeconds(7);

    /** The warm-up of a step in a JVM of its own: in less time two cores do not compile what it runs. */
    private static final Duration OWN_WARM_UP = Duration.ofMillis(2_500);

    /** The disk is measured in this JVM. */
    static final Duration DISK_START = Duration.ofMillis(150);

    /** Starting servers and making a database, then the same as {@link #START}. */
    private static final Duration DATABASE_START = Duration.ofSeconds(5);

    /** A halted process leaves records; the next one waits for the end of the lease. */
    private static final Timing TAKEOVER = new Timing(Duration.ofSeconds(12), Duration.ZERO, 1, Duration.ofSeconds(11));

    private static final Timing STATEMENTS =
            new Timing(Duration.ofSeconds(3), Duration.ZERO, 1, Duration.ofSeconds(StatementBenchmark.SECONDS));

    private static final double WARMUP_SHARE = 0.25;

    public Plan {
        steps = List.copyOf(steps);
    }

    /** A plan whose JVMs measure each cell once. */
    public Plan(List<Cell> steps, int rounds, Timing transactionTiming, Timing diskTiming) {
        this(steps, rounds, new Warmth(1, Duration.ZERO), transactionTiming, diskTiming);
    }

    /** How often a JVM measures each of its cells before a new JVM takes its place. */
    int turns() {
        return warmth.turns();
    }

    /** The plan of a run that measures these transactions and these kinds of disk writes. */
    static Plan of(RunSize size, List<Cell.Transactions> transactions, List<DiskKind> diskKinds) {
        return of(size, transactions, List.of(), diskKinds);
    }

    /** The same plan, with {@code extras} at the end of each round. */
    static Plan of(
            RunSize size, List<Cell.Transactions> transactions, List<? extends Cell> extras, List<DiskKind> diskKinds) {
        List<Cell> disk = new ArrayList<>();
        for (int writers : size.diskWriters()) {
            for (DiskKind kind : diskKinds) {
                disk.add(new Cell.DiskWrites(kind.label(), writers));
            }
        }
        Timing diskTiming = new Timing(DISK_START, size.diskIteration().dividedBy(2), 1, size.diskIteration());
        Warmth warmth = new Warmth(size.turns(), starts(transactions).multipliedBy(size.jvms()));
        Duration left = size.budget()
                .minus(diskTiming.total().multipliedBy((long) disk.size() * size.rounds()))
                .minus(warmth.starts());
        long timed = transactions.size()
                + extras.stream().filter(Cell.Work.class::isInstance).count();
        // Stores in a database make a run longer, and the other steps no shorter.
        Timing timing = timing(size, left, (int) (timed > 0 ? timed : extras.size()) * size.rounds());
        List<Cell> steps = new ArrayList<>();
        for (int round = 0; round < size.rounds(); round++) {
            steps.addAll(disk);
            steps.addAll(rotated(transactions, round));
            steps.addAll(extras);
        }
        disk.stream().filter(cell -> cell.threads() == 1).forEach(steps::add);
        return new Plan(steps, size.rounds(), warmth, timing, diskTiming);
    }

    /** The remaining plan after an earlier run that measured these numbers of rounds. */
    Plan without(Map<Cell, Integer> measured) {
        Map<Cell, Integer> toSkip = new HashMap<>(measured);
        List<Cell> rest = new ArrayList<>();
        for (Cell cell : steps) {
            int skips = toSkip.getOrDefault(cell, 0);
            if (skips > 0) {
                toSkip.put(cell, skips - 1);
            } else {
                rest.add(cell);
            }
        }
        return new Plan(rest, rounds, warmth, transactionTiming, diskTiming);
    }

    /** The numbers of threads with which transactions of the kind of this cell are measured. */
    SortedSet<Integer> threadsOf(Cell.Transactions like) {
        return steps.stream()
                .filter(cell -> cell instanceof Cell.Transactions other
                        && other.store().equals(like.store())
                        && other.protocol() == like.protocol())
                .map(Cell::threads)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    Timing timingOf(Cell cell) {
        if (cell instanceof Cell.Recovery) {
            return RECOVERY;
        }
        if (cell instanceof Cell.Takeover) {
            return TAKEOVER;
        }
        if (cell instanceof Cell.Statements) {
            return STATEMENTS;
        }
        if (cell instanceof Cell.InDatabase || cell instanceof Cell.Work) {
            return new Timing(
                    cell instanceof Cell.Work ? START : DATABASE_START,
                    OWN_WARM_UP,
                    transactionTiming.iterations(),
                    transactionTiming.iteration());
        }
        return cell instanceof Cell.DiskWrites ? diskTiming : transactionTiming;
    }

    /** The time of the run on a machine as fast as the one on which {@link #START} was measured. */
    public Duration estimate() {
        return steps.stream().map(step -> timingOf(step).total()).reduce(warmth.starts(), Duration::plus);
    }

    /** The time of the starts and warm-ups of the JVMs that measure these cells, each once. */
    private static Duration starts(List<Cell.Transactions> transactions) {
        long jvms = transactions.stream()
                .map(cell -> SubjectCatalog.named(cell.store()).host())
                .distinct()
                .count();
        long warmUps = transactions.stream()
                .map(cell -> List.of(cell.store(), cell.protocol()))
                .distinct()
                .count();
        return beforeFirst(true, true)
                .multipliedBy(jvms)
                .plus(beforeFirst(false, true).multipliedBy(warmUps - jvms));
    }

    /** The time of a start and a warm-up before a step, if its JVM or its kind of transaction is new. */
    static Duration beforeFirst(boolean isNewJvm, boolean isNewKind) {
        if (isNewJvm) {
            return START.plus(WARM_UP);
        }
        return isNewKind ? FURTHER_WARM_UP : Duration.ZERO;
    }

    private static Timing timing(RunSize size, Duration budget, int steps) {
        Duration each = budget.dividedBy(Math.max(1, steps)).minus(STEP_START);
        Duration warmup = size.warmup().clamp(scaled(each, WARMUP_SHARE));
        Duration iteration = size.iteration().clamp(scaled(each, (1 - WARMUP_SHARE) / size.iterations()));
        return new Timing(STEP_START, warmup, size.iterations(), iteration);
    }

    private static Duration scaled(Duration duration, double factor) {
        return Duration.ofMillis(Math.round(duration.toMillis() * factor));
    }

    /** Within each run of equal protocol and threads, the stores begin one further in each round. */
    private static List<Cell.Transactions> rotated(List<Cell.Transactions> cells, int round) {
        List<Cell.Transactions> rotated = new ArrayList<>();
        int begin = 0;
        while (begin < cells.size()) {
            int end = begin;
            while (end < cells.size() && isBesides(cells.get(begin), cells.get(end))) {
                end++;
            }
            List<Cell.Transactions> group = new ArrayList<>(cells.subList(begin, end));
            Collections.rotate(group, -round);
            rotated.addAll(group);
            begin = end;
        }
        return rotated;
    }

    private static boolean isBesides(Cell.Transactions one, Cell.Transactions other) {
        return one.protocol() == other.protocol() && one.threads() == other.threads();
    }

    /**
     * How the JVMs that measure transactions are used.
     *
     * @param turns measurements of each cell in one JVM
     * @param starts the time of all starts and warm-ups of the run
     */
    public record Warmth(int turns, Duration starts) {}

    /**
     * Times of one step.
     *
     * @param start time before and after measuring
     * @param warmup time before the first iteration
     * @param iterations number of measured iterations
     * @param iteration length of an iteration
     */
    public record Timing(Duration start, Duration warmup, int iterations, Duration iteration) {
        Duration total() {
            return start.plus(warmup).plus(iteration.multipliedBy(iterations));
        }
    }
}
