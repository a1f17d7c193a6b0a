package io.tallystick.benchmarks.report;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Whether our journal has become slower than in a recorded run, the baseline. Only ratios within each run are compared,
 * turn by turn: the journal over the in-memory store, and over the peer that was the best one in the baseline. So a
 * machine that is slower for a while makes no alarm.
 *
 * <p>A ratio has become lower when its whole interval lies more than {@value #ALLOWED} below the median of the
 * baseline: room for JVMs that compile the same code at other moments. Nothing is compared on a machine of
 * another kind, with a disk of another speed, or of figures in doubt.
 */
public final class Guard {
    private static final double ALLOWED = 0.07;
    /** How much the durable writes a second of the disk may differ: the ratios hang on them. */
    private static final double SAME_DISK = 1.25;

    private final List<String> differences;
    private final List<Row> rows;

    private Guard(List<String> differences, List<Row> rows) {
        this.differences = differences;
        this.rows = rows;
    }

    /** Compares the ratios of a run with those of its baseline. */
    public static Guard of(Results baseline, Results now) {
        List<String> differences = new ArrayList<>(baseline.machine().differencesOfKindTo(now.machine()));
        disks(baseline, now).ifPresent(differences::add);
        List<Row> rows = new ArrayList<>();
        baseline.measurements().keySet().stream()
                .filter(cell -> cell instanceof Cell.Transactions transactions
                        && transactions.protocol() == Protocol.TWO_PHASE
                        && transactions.store().equals(SubjectCatalog.DEFAULT))
                .map(Cell.Transactions.class::cast)
                .forEach(journal -> {
                    Limits limits = new Limits(baseline);
                    for (Optional<Cell.Transactions> other : List.of(
                            limits.inMemory(Protocol.TWO_PHASE, journal.threads()),
                            limits.bestDurablePeer(Protocol.TWO_PHASE, journal.threads()))) {
                        other.ifPresent(cell -> rows.add(Row.of(journal, cell, baseline, now)));
                    }
                });
        return new Guard(List.copyOf(differences), List.copyOf(rows));
    }

    /** A difference of the disks, by the durable writes a second of one writer. */
    private static Optional<String> disks(Results baseline, Results now) {
        Optional<Double> before = new Limits(baseline).durableWritesPerSecond();
        Optional<Double> after = new Limits(now).durableWritesPerSecond();
        if (before.isEmpty() || after.isEmpty()) {
            return Optional.of("the durable writes a second of the disk are not known");
        }
        double times = after.get() / before.get();
        return times <= SAME_DISK && times >= 1 / SAME_DISK
                ? Optional.empty()
                : Optional.of("the disk did " + Text.whole(before.get()) + " durable writes a second, and does "
                        + Text.whole(after.get()));
    }

    /** Each ratio, in the order of the baseline. */
    public List<Row> rows() {
        return rows;
    }

    /** Why nothing at all is compared, a line each; empty if the machines are of one kind. */
    public List<String> differences() {
        return differences;
    }

    /** Whether a ratio has become lower. */
    public boolean isSlower() {
        return differences.isEmpty() && rows.stream().anyMatch(row -> row.verdict() == Verdict.SLOWER);
    }

    /** Whether each ratio was compared. */
    public boolean isComplete() {
        return differences.isEmpty()
                && !rows.isEmpty()
                && rows.stream().noneMatch(row -> row.verdict() == Verdict.NOT_COMPARED);
    }

    /** Prints the ratios and the verdict. */
    public void print(Terminal terminal) {
        terminal.line("");
        terminal.line(terminal.bold("Guard: ratios within this run, against those of the baseline"));
        Table table = new Table("ratio")
                .column("baseline", 0)
                .column("now", 0)
                .column("interval", 0)
                .column("verdict", 0);
        rows.forEach(row -> table.row(List.of(
                row.label(),
                Text.three(row.before()),
                row.now().map(found -> Text.three(found.median())).orElse(Text.NOTHING),
                row.now()
                        .map(found -> Text.three(found.low()) + " .. " + Text.three(found.high()))
                        .orElse(Text.NOTHING),
                differences.isEmpty() ? row.verdict().words() : Verdict.NOT_COMPARED.words())));
        table.lines(terminal.columns()).forEach(terminal::line);
        rows.stream()
                .filter(row -> row.verdict() == Verdict.NOT_COMPARED)
                .forEach(row -> terminal.line("not compared: " + row.label() + ": " + row.doubt()));
        differences.forEach(difference -> terminal.line(terminal.yellow("nothing is compared: " + difference)));
        if (isSlower()) {
            terminal.line(terminal.red("SLOWER than the baseline: the interval lies more than " + Text.percent(ALLOWED)
                    + " below it. Measure once more, on a quiet machine; then profile."));
        }
    }

    /** What is said of one ratio. */
    public enum Verdict {
        /** It reaches the baseline. */
        REACHED,
        /** It has become lower. */
        SLOWER,
        /** There are no figures without doubt. */
        NOT_COMPARED;

        private String words() {
            return switch (this) {
                case REACHED -> "reached";
                case SLOWER -> "SLOWER";
                case NOT_COMPARED -> "not compared";
            };
        }
    }

    /**
     * One ratio in both runs.
     *
     * @param label for people
     * @param before the median of the baseline
     * @param now the ratio of the later run; empty where a figure is missing or in doubt
     * @param doubt the reason why there is none
     */
    public record Row(String label, double before, Optional<Ratio> now, String doubt) {
        private static Row of(Cell journal, Cell.Transactions other, Results baseline, Results now) {
            String label = "journal / " + other.store() + ", " + Text.counted(journal.threads(), "thread");
            double before = Ratio.of(
                            baseline.of(journal).orElseThrow(),
                            baseline.of(other).orElseThrow())
                    .median();
            for (Cell cell : List.of(journal, other)) {
                Optional<String> doubt = baseline.of(cell)
                        .flatMap(Measurement::doubt)
                        .map(why -> "in the baseline, " + why)
                        .or(() -> now.of(cell).map(Measurement::doubt).orElse(Optional.of("not measured")));
                if (doubt.isPresent()) {
                    return new Row(label, before, Optional.empty(), cell.label() + ": " + doubt.get());
                }
            }
            return new Row(
                    label,
                    before,
                    Optional.of(Ratio.of(
                            now.of(journal).orElseThrow(), now.of(other).orElseThrow())),
                    "");
        }

        /** The verdict of this ratio alone. */
        public Verdict verdict() {
            if (now.isEmpty()) {
                return Verdict.NOT_COMPARED;
            }
            return now.get().high() < before * (1 - ALLOWED) ? Verdict.SLOWER : Verdict.REACHED;
        }
    }

    /**
     * The ratios of the turns of two cells.
     *
     * @param low lower end of the interval
     * @param median of the ratios
     * @param high upper end of the interval
     */
    public record Ratio(double low, double median, double high) {
        private static final double OUTSIDE = 0.1;

        /** The turns in their order, each over the one that was measured beside it. */
        static Ratio of(Measurement ours, Measurement other) {
            int turns = Math.min(ours.turns().size(), other.turns().size());
            List<Double> ratios = IntStream.range(0, turns)
                    .mapToObj(turn -> ours.turns().get(turn) / other.turns().get(turn))
                    .sorted()
                    .toList();
            int left = outside(turns);
            return new Ratio(ratios.get(left), Measurement.median(ratios), ratios.get(turns - 1 - left));
        }

        /**
         * How many of the sorted ratios lie outside the interval on each side, so that it holds the median with a
         * probability of nine tenths: the interval of the sign test. Example: of 8 ratios one on each side, of 6 none.
         */
        private static int outside(int turns) {
            double each = Math.pow(0.5, turns);
            double sum = each;
            int left = 0;
            while (true) {
                each = each * (turns - left) / (left + 1);
                sum += each;
                if (2 * sum > OUTSIDE || left + 1 > (turns - 1) / 2) {
                    return left;
                }
                left++;
            }
        }
    }
}
