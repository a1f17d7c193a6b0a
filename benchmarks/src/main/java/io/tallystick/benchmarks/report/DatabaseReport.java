package io.tallystick.benchmarks.report;

import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Stores whose log is in a database. They stand by themselves: their commits are forced by other processes, perhaps on
 * two machines. So they are compared with each other, and with the rate of the same statement without a store.
 */
public final class DatabaseReport {
    private static final double MICROS_PER_SECOND = 1e6;

    private final Results results;

    public DatabaseReport(Results results) {
        this.results = results;
    }

    /** Whether the run measured anything of this kind. */
    public boolean isEmpty() {
        return cells(Cell.InDatabase.class).isEmpty()
                && cells(Cell.Statements.class).isEmpty()
                && cells(Cell.Takeover.class).isEmpty();
    }

    /** The statement by pgbench; empty where it was not measured. */
    public Optional<Table> statementTable() {
        List<Cell.Statements> found = cells(Cell.Statements.class);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Table table = new Table("statement, by pgbench")
                .column("bytes", 0)
                .column("clients", 0)
                .column("statements/s", 0)
                .column("min .. max", 1)
                .column("server CPU", 0);
        for (Cell.Statements cell : found) {
            Measurement measurement = results.of(cell).orElseThrow();
            table.row(List.of(
                    "as " + cell.store(),
                    Text.whole(cell.bytes()),
                    Integer.toString(cell.clients()),
                    Text.whole(measurement.median()),
                    range(measurement),
                    metric(measurement, Metric.SERVER_CPU, Text::micros)));
        }
        return Optional.of(table);
    }

    /** Transactions per second for each number of threads; empty where none were measured. */
    public Optional<Table> overview() {
        List<Cell.InDatabase> found = cells(Cell.InDatabase.class);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        List<Integer> counts =
                found.stream().map(Cell::threads).sorted().distinct().toList();
        Table table = new Table("store");
        counts.forEach(count -> table.column(Text.counted(count, "thread"), 1));
        found.stream()
                .map(cell -> new Cell.InDatabase(cell.store(), 0, cell.addedMillis()))
                .distinct()
                .forEach(store -> {
                    List<String> row = new ArrayList<>(List.of(nameOf(store)));
                    counts.forEach(
                            count -> row.add(results.of(new Cell.InDatabase(store.store(), count, store.addedMillis()))
                                    .map(measurement -> Text.whole(measurement.median()))
                                    .orElse(Text.NOTHING)));
                    table.row(row);
                });
        return Optional.of(table);
    }

    /** Numbers of threads that were measured, ascending. */
    public List<Integer> threadCounts() {
        return cells(Cell.InDatabase.class).stream()
                .map(Cell::threads)
                .sorted()
                .distinct()
                .toList();
    }

    /** All figures of one number of threads. */
    public Table detailsTable(int threads) {
        Table table = new Table("store")
                .column("tx/s", 0)
                .column("min .. max", 5)
                .column("x JDBCStore", 1)
                .column("statements/s", 4)
                .column("statements/tx", 2)
                .column("of pgbench", 1)
                .column("CPU/tx", 3)
                .column("server CPU/tx", 3)
                .column("p50", 6)
                .column("p99", 4)
                .column("p99.9", 7)
                .column("max", 8)
                .column("others", 7);
        for (Cell.InDatabase cell : cells(Cell.InDatabase.class)) {
            if (cell.threads() != threads) {
                continue;
            }
            Measurement measurement = results.of(cell).orElseThrow();
            table.row(List.of(
                    nameOf(cell),
                    Text.whole(measurement.median()),
                    range(measurement),
                    peerOf(cell)
                            .map(peer -> Text.times(measurement.median() / peer.median()))
                            .orElse(Text.NOTHING),
                    metric(measurement, Metric.FORCES, forces -> Text.whole(forces * measurement.median())),
                    metric(measurement, Metric.FORCES, Text::three),
                    shareOfStatement(cell).map(Text::percent).orElse(Text.NOTHING),
                    metric(measurement, Metric.CPU, Text::micros),
                    metric(measurement, Metric.SERVER_CPU, Text::micros),
                    metric(measurement, Metric.P50, Text::micros),
                    metric(measurement, Metric.P99, Text::micros),
                    metric(measurement, Metric.P999, Text::micros),
                    metric(measurement, Metric.MAX, Text::micros),
                    metric(measurement, Metric.OTHERS, Text::percent)));
        }
        return table;
    }

    /** The time of a takeover; empty where it was not measured. */
    public Optional<Table> takeoverTable() {
        List<Cell.Takeover> found = cells(Cell.Takeover.class);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Table table = new Table("store").column("median", 0).column("min .. max", 1);
        for (Cell.Takeover cell : found) {
            Measurement measurement = results.of(cell).orElseThrow();
            table.row(List.of(
                    cell.store(),
                    Text.micros(measurement.median() * 1_000),
                    Text.micros(measurement.lowest() * 1_000) + " .. " + Text.micros(measurement.highest() * 1_000)));
        }
        return Optional.of(table);
    }

    /**
     * The statements of the store as a share of pgbench's rate for a statement of as many bytes, by as many
     * connections. pgbench was measured with two sizes; between them the time of a statement is a straight line over
     * the bytes. A store that does not count statements writes one for each transaction.
     */
    Optional<Double> shareOfStatement(Cell.InDatabase cell) {
        if (cell.addedMillis() > 0) {
            return Optional.empty(); // pgbench was measured without
        }
        Measurement measurement = results.of(cell).orElseThrow();
        double statementsOfOne = measurement.metric(Metric.FORCES).orElse(1.0);
        List<Cell.Statements> sizes = cells(Cell.Statements.class).stream()
                .filter(one -> SubjectCatalog.named(one.store()).needs() == needsOf(cell))
                .filter(one -> one.clients() == Math.min(cell.threads(), 2))
                .sorted(Comparator.comparingInt(Cell.Statements::bytes))
                .toList();
        if (sizes.size() < 2) {
            return Optional.empty();
        }
        Cell.Statements small = sizes.get(0);
        Cell.Statements large = sizes.get(sizes.size() - 1);
        double bytes = Math.min(large.bytes(), small.bytes() / statementsOfOne);
        double part = Math.max(0, (bytes - small.bytes()) / (large.bytes() - small.bytes()));
        double micros = microsOf(small) + part * (microsOf(large) - microsOf(small));
        return Optional.of(measurement.median() * statementsOfOne / (MICROS_PER_SECOND / micros));
    }

    private double microsOf(Cell.Statements cell) {
        return MICROS_PER_SECOND / results.of(cell).orElseThrow().median();
    }

    /** Narayana's store on the same servers. */
    private Optional<Measurement> peerOf(Cell.InDatabase cell) {
        return SubjectCatalog.databases().stream()
                .filter(subject -> !subject.isOurs() && subject.needs() == needsOf(cell))
                .filter(subject -> !subject.name().equals(cell.store()))
                .findFirst()
                .flatMap(peer -> results.of(new Cell.InDatabase(peer.name(), cell.threads(), cell.addedMillis())));
    }

    private static Subject.Needs needsOf(Cell.InDatabase cell) {
        return SubjectCatalog.named(cell.store()).needs();
    }

    private <C extends Cell> List<C> cells(Class<C> kind) {
        return results.measurements().keySet().stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    private static String nameOf(Cell.InDatabase cell) {
        return cell.store() + (cell.addedMillis() == 0 ? "" : " +" + cell.addedMillis() + " ms");
    }

    private static String range(Measurement measurement) {
        return Text.whole(measurement.lowest()) + " .. " + Text.whole(measurement.highest());
    }

    private static String metric(Measurement measurement, Metric metric, Function<Double, String> format) {
        return measurement.metric(metric).map(format).orElse(Text.NOTHING);
    }
}
