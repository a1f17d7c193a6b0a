package io.tallystick.benchmarks.report;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.measure.RecoveryBenchmark;
import io.tallystick.benchmarks.measure.TakeoverBenchmark;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The results as tables. Figures of transactions are medians over iterations. */
public final class Report {
    private static final int FACT_COLUMNS = 12;
    /** The report names at most this many of those figures. */
    private static final int SHOWN = 5;
    /** Stands behind a figure of which no ratio is made. */
    private static final String DOUBTED = "~";

    private final Results results;
    private final Limits limits;
    private final Terminal terminal;

    public Report(Results results, Terminal terminal) {
        this.results = results;
        this.limits = new Limits(results);
        this.terminal = terminal;
    }

    /** Prints all tables, the overview last, where the reader looks first. */
    public void print() {
        printDisk();
        for (Protocol protocol : Protocol.values()) {
            for (int threads : threadCounts(protocol)) {
                printDetails(protocol, threads);
            }
        }
        printLegend();
        for (Protocol protocol : Protocol.values()) {
            printOverview(protocol);
        }
        printExtras();
        printDatabases();
        Year2011.table(results).ifPresent(table -> {
            heading("Beside the figures of 2011");
            print(table);
        });
        printDisturbance();
    }

    /** Prints the machine before the run, so that the user sees a wrong directory in time. */
    public static void printMachine(Machine machine, Terminal terminal) {
        printFact(
                "machine",
                String.join(
                        ", ",
                        machine.fact(Machine.CORES) + " cores",
                        machine.fact(Machine.CPU),
                        machine.fact(Machine.MEMORY),
                        machine.fact(Machine.SYSTEM)),
                terminal);
        printFact("JVM", machine.fact(Machine.JVM), terminal);
        printFact("stores in", machine.fact(Machine.DIRECTORY), terminal);
        printFact(
                "disk",
                machine.fact(Machine.FILE_SYSTEM) + " on " + machine.fact(Machine.MOUNT_DEVICE) + ", "
                        + machine.fact(Machine.MOUNT) + ", write cache: "
                        + machine.fact(Machine.WRITE_CACHE),
                terminal);
        if (machine.facts().containsKey(Machine.POSTGRESQL)) {
            printFact("database", machine.fact(Machine.POSTGRESQL), terminal);
        }
        if (machine.facts().containsKey(Machine.THROTTLED)) {
            printFact("slow disk", machine.fact(Machine.THROTTLED), terminal);
        }
        if (machine.facts().containsKey(Machine.CALIBRATED)) {
            printFact("as in 2011", machine.fact(Machine.CALIBRATED), terminal);
        }
        if (machine.isMemoryFileSystem()) {
            terminal.line(terminal.red("This directory is in memory (" + machine.fact(Machine.FILE_SYSTEM)
                    + "): nothing here is durable, and no figure of a durable"));
            terminal.line(terminal.red("store means anything. Choose a directory on a disk with --directory."));
        }
        if (machine.wasBusy()) {
            terminal.line(terminal.yellow("The machine is busy: other programs use " + machine.fact(Machine.OTHERS)
                    + " of its cores. Figures will be too low and spread wide."));
        }
        printEntries("Chosen by trial", machine.choices(), terminal);
    }

    /** Prints names with their texts below a heading, or nothing if there are none. */
    public static void printEntries(String heading, Map<String, String> entries, Terminal terminal) {
        if (!entries.isEmpty()) {
            terminal.line("");
            terminal.line(terminal.bold(heading));
            entries.forEach((name, text) -> terminal.entry(name, width(entries.keySet()) + 2, text));
        }
    }

    /** The width of the longest text. */
    public static int width(Collection<String> texts) {
        return texts.stream().mapToInt(String::length).max().orElse(0);
    }

    /** Prints a name with its text. */
    public static void printFact(String name, String text, Terminal terminal) {
        terminal.entry(name, FACT_COLUMNS, text);
    }

    private void printDisk() {
        diskTable(results).ifPresent(table -> {
            heading("The disk");
            print(table);
        });
    }

    /** The speed of the directory's disk; empty where it was not measured. */
    public static Optional<Table> diskTable(Results results) {
        List<Integer> writers = results.measurements().keySet().stream()
                .filter(Cell.DiskWrites.class::isInstance)
                .map(Cell::threads)
                .sorted()
                .distinct()
                .toList();
        if (writers.isEmpty()) {
            return Optional.empty();
        }
        Table table = new Table("4 KiB durable writes/s");
        writers.forEach(count -> table.column(Text.counted(count, "writer"), 1));
        table.column("p50, 1 writer", 2).column("p99, 1 writer", 3);
        for (DiskKind kind : DiskKind.values()) {
            Optional<Measurement> alone = results.of(new Cell.DiskWrites(kind.label(), 1));
            List<String> row = new ArrayList<>();
            row.add(kind.label());
            writers.forEach(count -> row.add(results.of(new Cell.DiskWrites(kind.label(), count))
                    .map(measurement -> Text.whole(measurement.median()))
                    .orElse(Text.NOTHING)));
            row.add(metric(alone, Metric.P50, Text::micros));
            row.add(metric(alone, Metric.P99, Text::micros));
            table.row(row);
        }
        return Optional.of(table);
    }

    private void printDetails(Protocol protocol, int threads) {
        heading(protocol.label() + ", " + Text.counted(threads, "thread"));
        if (protocol == Protocol.ONE_PHASE) {
            terminal.line(
                    "One resource: nothing is logged and no store is touched; this is the transaction manager alone,"
                            + " with its reaper.");
        } else {
            limitLine(threads).ifPresent(terminal::line);
        }
        print(detailsTable(protocol, threads));
    }

    /** All figures of one number of threads, the fastest store first. */
    public Table detailsTable(Protocol protocol, int threads) {
        List<Cell.Transactions> cells = cells(protocol, threads);
        Optional<Measurement> memory =
                limits.inMemory(protocol, threads).filter(limits::isComparable).flatMap(results::of);
        Optional<Measurement> peer = limits.bestDurablePeer(protocol, threads)
                .filter(limits::isComparable)
                .flatMap(results::of);
        Optional<Double> model = memory.flatMap(sound -> limits.model(threads));
        Table table = new Table("store")
                .column("tx/s", 0)
                .column("min .. max", 4)
                .column("x peer", 1)
                .column("of memory", 3)
                .column("of limit", 5)
                .column("CPU/tx", 2)
                .column("waits/tx", 7)
                .column("p50", 9)
                .column("p99", 6)
                .column("p99.9", 11)
                .column("max", 12)
                .column("syncs/s", 8)
                .column("rec/sync", 8)
                .column("B/tx", 13)
                .column("others", 10);
        for (Cell.Transactions cell : cells) {
            Measurement measurement = results.of(cell).orElseThrow();
            boolean isSound = measurement.doubt().isEmpty();
            boolean compared = isSound && protocol == Protocol.TWO_PHASE && isDurable(cell);
            table.row(List.of(
                    nameOf(cell),
                    marked(measurement),
                    Text.whole(measurement.lowest()) + " .. " + Text.whole(measurement.highest()),
                    compared ? ratio(measurement, peer, Text::times) : Text.NOTHING,
                    compared || isSound && protocol == Protocol.ONE_PHASE
                            ? ratio(measurement, memory, Text::percent)
                            : Text.NOTHING,
                    compared
                            ? model.map(limit -> Text.percent(measurement.median() / limit))
                                    .orElse(Text.NOTHING)
                            : Text.NOTHING,
                    metric(measurement, Metric.CPU, Text::micros),
                    metric(measurement, Metric.SWITCHES, Text::three),
                    metric(measurement, Metric.P50, Text::micros),
                    metric(measurement, Metric.P99, Text::micros),
                    metric(measurement, Metric.P999, Text::micros),
                    metric(measurement, Metric.MAX, Text::micros),
                    metric(measurement, Metric.FORCES, forces -> Text.whole(forces * measurement.median())),
                    metric(measurement, Metric.RECORDS_PER_FORCE, Text::three),
                    metric(measurement, Metric.ALLOCATED, Text::whole),
                    metric(measurement, Metric.OTHERS, Text::percent)));
        }
        return table;
    }

    private Optional<String> limitLine(int threads) {
        return limits.model(threads)
                .map(limit -> "limit " + Text.whole(limit) + " tx/s: a durable write takes "
                        + Text.micros(limits.durableWriteMicros().orElseThrow()) + ", a commit in memory "
                        + Text.micros(limits.inMemoryCpuMicros(threads).orElseThrow()) + " of CPU");
    }

    private void printLegend() {
        if (results.measurements().keySet().stream().noneMatch(Report::isTwoPhase)) {
            return;
        }
        terminal.line("");
        printFact("x peer", "times the fastest durable store of Narayana in the same table", terminal);
        printFact("of memory", "share of the in-memory store", terminal);
        printFact(
                "of limit",
                "share of min(N/(L+Z), C/Z): N threads, L one durable write, Z CPU of a commit in memory, C cores",
                terminal);
        printFact("CPU, waits", "of every thread of the process; waits are voluntary context switches", terminal);
        printFact("others", "share of the machine's cores that other programs used meanwhile", terminal);
        printFact("rec/sync", "records, of writes and removes, that one sync made durable", terminal);
    }

    private void printDisturbance() {
        Advice.of(results).ifPresent(advice -> {
            heading("On this disk");
            advice.lines().forEach(terminal::line);
        });
        printEntries(DOUBTED + " in doubt: no ratio is made of these", doubts(results), terminal);
        disturbance(results).ifPresent(warning -> {
            terminal.line("");
            terminal.line(terminal.yellow(warning));
        });
    }

    /** A warning if other programs disturbed the figures. */
    public static Optional<String> disturbance(Results results) {
        List<Double> shares = results.measurements().values().stream()
                .flatMap(measurement -> measurement.metric(Metric.OTHERS).stream())
                .toList();
        if (shares.isEmpty()) {
            return Optional.empty();
        }
        if (Measurement.median(shares) <= Machine.BUSY_SHARE) {
            return disturbedCells(results);
        }
        return Optional.of("Other programs used " + Text.percent(Measurement.median(shares))
                + " of the cores meanwhile (median over figures), at worst " + Text.percent(Collections.max(shares))
                + ": do not rely on these figures.");
    }

    /** A warning if other programs disturbed a few figures of a run that was quiet otherwise. */
    private static Optional<String> disturbedCells(Results results) {
        List<String> disturbed = results.measurements().entrySet().stream()
                .filter(entry -> entry.getValue().metric(Metric.OTHERS).orElse(0.0) > Measurement.MOST_OF_OTHERS)
                .sorted(Comparator.comparingDouble((Map.Entry<Cell, Measurement> entry) ->
                        -entry.getValue().metric(Metric.OTHERS).orElseThrow()))
                .map(entry -> entry.getKey().label() + " ("
                        + Text.percent(entry.getValue().metric(Metric.OTHERS).orElseThrow()) + ")")
                .toList();
        if (disturbed.isEmpty()) {
            return Optional.empty();
        }
        int shown = Math.min(SHOWN, disturbed.size());
        return Optional.of("Other programs used more than " + Text.percent(Measurement.MOST_OF_OTHERS)
                + " of the cores while "
                + Text.counted(disturbed.size(), "figure") + " of "
                + results.measurements().size()
                + " came about; do not rely on those. The worst: " + String.join(", ", disturbed.subList(0, shown))
                + ".");
    }

    private void printExtras() {
        WorkReport extras = new WorkReport(results);
        extras.table().ifPresent(table -> {
            heading("With work: a row changed in each of two databases, transactions per second");
            print(table);
            extras.correlations().forEach(line -> terminal.line("With empty transactions, " + line));
        });
        extras.recoveryTable().ifPresent(table -> {
            heading("Recovery: a new JVM reads the " + RecoveryBenchmark.LEFT + " records that a halted one left");
            print(table);
        });
    }

    private void printDatabases() {
        DatabaseReport databases = new DatabaseReport(results);
        for (int threads : databases.threadCounts()) {
            heading("In a PostgreSQL database, " + Text.counted(threads, "thread"));
            print(databases.detailsTable(threads));
        }
        databases.statementTable().ifPresent(table -> {
            heading("The statement of our store without a store, on the same servers");
            print(table);
        });
        databases.takeoverTable().ifPresent(table -> {
            heading("Takeover: a new JVM takes the log of a halted one, and reads its "
                    + Text.whole(TakeoverBenchmark.LEFT_BEHIND) + " records");
            print(table);
        });
        databases.overview().ifPresent(table -> {
            heading("In a PostgreSQL database: transactions per second");
            print(table);
            printFact("x JDBCStore", "times Narayana's store on the same servers", terminal);
            printFact("of pgbench", "share of pgbench's rate for a statement of as many bytes", terminal);
            printFact("server CPU", "of all processes of PostgreSQL, primary and standby", terminal);
        });
    }

    private void printOverview(Protocol protocol) {
        List<Integer> counts = threadCounts(protocol);
        List<String> stores = results.measurements().keySet().stream()
                .filter(cell -> cell instanceof Cell.Transactions transactions && transactions.protocol() == protocol)
                .map(cell -> ((Cell.Transactions) cell).store())
                .distinct()
                .sorted(Comparator.comparingInt(Report::catalogueOrder))
                .toList();
        if (stores.isEmpty()) {
            return;
        }
        Table table = new Table("store");
        counts.forEach(count -> table.column(Text.counted(count, "thread"), 1));
        for (String store : stores) {
            List<String> row = new ArrayList<>();
            row.add(store);
            counts.forEach(count -> row.add(overviewCell(new Cell.Transactions(store, protocol, count))));
            table.row(row);
        }
        heading(protocol.label() + ": transactions per second");
        print(table);
    }

    private String overviewCell(Cell.Transactions cell) {
        return results.of(cell)
                .map(measurement -> {
                    String figure = marked(measurement);
                    return isFastestDurable(cell) ? terminal.green(figure) : figure;
                })
                .orElse(Text.NOTHING);
    }

    /** The rate, with a mark if it is in doubt. */
    private static String marked(Measurement measurement) {
        return Text.whole(measurement.median()) + (measurement.doubt().isPresent() ? DOUBTED : "");
    }

    /** The figures in doubt, with the reason of each. */
    public static Map<String, String> doubts(Results results) {
        Map<String, String> doubts = new LinkedHashMap<>();
        results.measurements().forEach((cell, measurement) -> {
            if (cell instanceof Cell.Transactions) {
                measurement.doubt().ifPresent(why -> doubts.put(cell.label(), why));
            }
        });
        return doubts;
    }

    private boolean isFastestDurable(Cell.Transactions cell) {
        return cell.protocol() == Protocol.TWO_PHASE
                && cells(cell.protocol(), cell.threads()).stream()
                        .filter(Report::isDurable)
                        .findFirst()
                        .filter(cell::equals)
                        .isPresent();
    }

    /** Cells of one table, the fastest first. */
    private List<Cell.Transactions> cells(Protocol protocol, int threads) {
        return results.measurements().entrySet().stream()
                .filter(entry -> entry.getKey() instanceof Cell.Transactions cell
                        && cell.protocol() == protocol
                        && cell.threads() == threads)
                .sorted(Comparator.comparingDouble((Map.Entry<Cell, Measurement> entry) ->
                        -entry.getValue().median()))
                .map(entry -> (Cell.Transactions) entry.getKey())
                .toList();
    }

    private List<Integer> threadCounts(Protocol protocol) {
        return results.measurements().keySet().stream()
                .filter(cell -> cell instanceof Cell.Transactions transactions && transactions.protocol() == protocol)
                .map(Cell::threads)
                .sorted()
                .distinct()
                .toList();
    }

    private String nameOf(Cell.Transactions cell) {
        return isFastestDurable(cell) ? terminal.green(cell.store()) : cell.store();
    }

    private void heading(String text) {
        terminal.line("");
        terminal.line(terminal.bold(text));
    }

    private void print(Table table) {
        table.lines(terminal.columns()).forEach(terminal::line);
        List<String> leftOut = table.leftOut(terminal.columns());
        if (!leftOut.isEmpty()) {
            terminal.line(terminal.dim("no room for: " + String.join(", ", leftOut)));
        }
    }

    private static boolean isTwoPhase(Cell cell) {
        return cell instanceof Cell.Transactions transactions && transactions.protocol() == Protocol.TWO_PHASE;
    }

    private static boolean isDurable(Cell.Transactions cell) {
        return SubjectCatalog.all().stream()
                .anyMatch(subject -> subject.name().equals(cell.store()) && subject.isDurable());
    }

    public static int catalogueOrder(String store) {
        int order = SubjectCatalog.names().indexOf(store);
        return order < 0 ? Integer.MAX_VALUE : order;
    }

    private static String ratio(Measurement measurement, Optional<Measurement> base, Function<Double, String> format) {
        return base.map(other -> format.apply(measurement.median() / other.median()))
                .orElse(Text.NOTHING);
    }

    private static String metric(Measurement measurement, Metric metric, Function<Double, String> format) {
        return measurement.metric(metric).map(format).orElse(Text.NOTHING);
    }

    private static String metric(Optional<Measurement> measurement, Metric metric, Function<Double, String> format) {
        return measurement.map(present -> metric(present, metric, format)).orElse(Text.NOTHING);
    }
}
