package io.tallystick.benchmarks.report;

import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The comparison of a run with an earlier one, cell by cell. */
public final class Comparison {
    private final List<Row> rows;
    private final List<String> differences;

    private Comparison(List<Row> rows, List<String> differences) {
        this.rows = rows;
        this.differences = differences;
    }

    public static Comparison of(Results before, Results now) {
        List<Row> rows = new ArrayList<>();
        for (Map.Entry<Cell, Measurement> entry : now.measurements().entrySet()) {
            if (entry.getKey() instanceof Cell.Recovery || entry.getKey() instanceof Cell.Takeover) {
                continue; // a time: less is better
            }
            before.of(entry.getKey())
                    .ifPresent(earlier -> rows.add(new Row(entry.getKey(), earlier, entry.getValue())));
        }
        return new Comparison(List.copyOf(rows), before.machine().differencesTo(now.machine()));
    }

    /** Cells that both runs measured, in the order of the later. */
    public List<Row> rows() {
        return rows;
    }

    /** The differences between the machines for which the figures may not be compared, a line each. */
    public List<String> differences() {
        return differences;
    }

    public void print(Terminal terminal) {
        terminal.line("");
        terminal.line(terminal.bold("Against the earlier run"));
        differences.forEach(difference -> terminal.line(terminal.yellow("not the same machine: " + difference)));
        if (rows.isEmpty()) {
            terminal.line("The two runs have no cell in common.");
            return;
        }
        Table table = new Table("what")
                .column("before /s", 1)
                .column("now /s", 0)
                .column("change", 0)
                .column("at worst .. at best", 2)
                .column("verdict", 0);
        for (Row row : rows) {
            table.row(List.of(
                    row.cell().label(),
                    Text.whole(row.before().median()),
                    Text.whole(row.now().median()),
                    signed(row.change()),
                    Text.times(row.lowestRatio()) + " .. " + Text.times(row.highestRatio()),
                    row.verdict().coloured(terminal)));
        }
        table.lines(terminal.columns()).forEach(terminal::line);
        terminal.line("same: the ranges of the iterations overlap, or one run has a single iteration: it may be noise");
        terminal.line("at worst: the worst iteration now against the best before; at best: the other way round");
    }

    private static String signed(double change) {
        return (change < 0 ? "-" : "+") + Text.percent(Math.abs(change));
    }

    /** The verdict on two measurements of one cell. */
    public enum Verdict {
        /** Every iteration now is better than every one before. */
        FASTER,
        /** The ranges overlap. */
        SAME,
        /** Every iteration now is worse than every one before. */
        SLOWER;

        /** The verdict for a reader without colours. */
        public String words() {
            return switch (this) {
                case FASTER -> "faster";
                case SAME -> "within the noise";
                case SLOWER -> "slower";
            };
        }

        private String coloured(Terminal terminal) {
            return switch (this) {
                case FASTER -> terminal.green("faster");
                case SAME -> "same";
                case SLOWER -> terminal.red("slower");
            };
        }
    }

    /**
     * One cell in both runs.
     *
     * @param cell the measured combination
     * @param before the figures of the earlier run
     * @param now the figures of the later run
     */
    public record Row(Cell cell, Measurement before, Measurement now) {
        /** The change of the median, as a share of the earlier median. */
        public double change() {
            return now.median() / before.median() - 1;
        }

        /** The worst iteration now against the best before. */
        public double lowestRatio() {
            return now.lowest() / before.highest();
        }

        /** The best iteration now against the worst before. */
        public double highestRatio() {
            return now.highest() / before.lowest();
        }

        public Verdict verdict() {
            if (now.samples().size() < 2 || before.samples().size() < 2) {
                return Verdict.SAME; // the noise is not known
            }
            if (now.lowest() > before.highest()) {
                return Verdict.FASTER;
            }
            return now.highest() < before.lowest() ? Verdict.SLOWER : Verdict.SAME;
        }
    }
}
