package io.tallystick.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The results as one HTML file for people: charts drawn by us into the page itself, so that it opens anywhere, without a
 * network and without scripts. Every chart has its figures in the tables at the end.
 */
final class Page {
    private static final double FULL_WIDTH = 1080;
    /** The worst hundredth of the slices. */
    private static final double WORST_SHARE = 0.01;
    /** The number of threads at which machines are counted, where it was measured. */
    private static final int CROWD = 100;

    private final Results results;
    private final Optional<Comparison> comparison;
    private final Limits limits;
    private final Machine machine;
    private final Markup page = new Markup();

    Page(Results results, Optional<Results> earlier) {
        this.results = results;
        this.comparison = earlier.map(before -> Comparison.of(before, results));
        this.limits = new Limits(results);
        this.machine = results.machine();
    }

    /** Writes the page, and beside it, where there is one, its first chart by itself as an SVG file of the same name. */
    void write(Path file) throws IOException {
        Files.writeString(file, html(), StandardCharsets.UTF_8);
        Optional<String> chart = headline();
        if (chart.isPresent()) {
            String name = file.getFileName().toString().replaceAll("\\.html$", "") + ".svg";
            Files.writeString(file.resolveSibling(name), chart.get(), StandardCharsets.UTF_8);
        }
    }

    /** Commits that are logged, against threads, with a style sheet of its own; empty where none were measured. */
    Optional<String> headline() {
        LineChart chart = throughput(Protocol.TWO_PHASE);
        String style = "<style>" + resource("page.css") + "</style>"
                + "<rect class=\"sheet\" x=\"-12\" y=\"-12\" width=\"1104\" height=\"584\"/>";
        return chart.isEmpty()
                ? Optional.empty()
                : Optional.of(chart.svg(Axis.Scale.LINEAR, "two-phase commits per second against threads", style));
    }

    String html() {
        page.raw("<!DOCTYPE html>\n").open("html", "lang", "en").line();
        page.open("head").empty("meta", "charset", "utf-8");
        page.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        page.leaf("title", "Transaction-log stores compared, " + machine.fact(Machine.DATE));
        page.raw("<style>\n" + resource("page.css") + resource("layout.css") + "</style>")
                .close()
                .line();
        page.open("body").open("main").line();
        header();
        banners();
        throughput();
        fractions();
        latency();
        distribution();
        costs();
        onePhase();
        work();
        recovery();
        Year2011.table(results).ifPresent(this::year2011);
        comparison.ifPresent(this::comparison);
        stores();
        figures();
        environment();
        page.leaf(
                "footer",
                "Made by ./bench of Tallystick. Charts and figures are part of this file; nothing is loaded from"
                        + " anywhere. docs/benchmarks.md explains every column.");
        page.close()
                .raw("<script>\n" + resource("page.js") + "</script>")
                .close()
                .close()
                .line();
        return page.toString();
    }

    private void header() {
        page.leaf("h1", "What a transaction log costs");
        page.leaf(
                "p",
                "Stores of Tallystick and of Narayana in one run, interleaved, under the same transaction manager: "
                        + machine.fact(Machine.CORES) + " cores (" + machine.fact(Machine.CPU) + "), "
                        + machine.fact(Machine.FILE_SYSTEM) + ", " + machine.fact(Machine.DATE) + ".",
                "class",
                "lead");
        page.open("p", "class", "lead")
                .leaf("code", machine.fact(Machine.COMMAND))
                .close()
                .line();
    }

    private void banners() {
        if (machine.isMemoryFileSystem()) {
            page.leaf(
                    "div",
                    "Measured in memory (" + machine.fact(Machine.FILE_SYSTEM)
                            + "): nothing here was durable, and no figure of a durable store means anything.",
                    "class",
                    "banner alarm",
                    "role",
                    "alert");
        }
        RunState state = results.state();
        if (state.isPartial()) {
            banner("Partial: the run ended after " + state.done() + " of " + state.planned()
                    + " steps. What is missing was not measured; the spread of the rest comes from fewer JVMs.");
        }
        if (machine.wasBusy()) {
            banner("The machine was busy: other programs used " + machine.fact(Machine.OTHERS)
                    + " of its cores when the run began.");
        }
        Report.disturbance(results).ifPresent(this::banner);
    }

    private void banner(String text) {
        page.leaf("div", text, "class", "banner", "role", "note").line();
    }

    private void throughput() {
        LineChart chart = throughput(Protocol.TWO_PHASE);
        if (chart.isEmpty()) {
            return;
        }
        heading("Commits per second");
        text(
                "Two-phase commits of two dummy resources without any work: one log record is written, forced, and removed for"
                        + " each. An empty transaction flatters every store; with work in it, the same store costs a smaller share.");
        tiles();
        page.open("figure").open("div", "class", "switch").line();
        choice("linear", "linear", true);
        choice("logarithmic", "logarithmic", false);
        String what = "two-phase commits per second against threads, a line for each store";
        page.open("div", "class", "linear")
                .raw(chart.svg(Axis.Scale.LINEAR, what, ""))
                .close();
        page.open("div", "class", "logarithmic")
                .raw(chart.svg(Axis.Scale.LOGARITHMIC, what, ""))
                .close();
        page.close();
        page.leaf(
                "figcaption",
                "Median over all iterations of all JVMs; the whisker beside it goes from the worst iteration to the best."
                        + " Full lines and filled marks are ours, dashed lines and hollow marks Narayana's; the dotted line is"
                        + " no store at all, only memory. At the right: the figure with most threads.");
        page.close().line();
    }

    private void choice(String id, String label, boolean first) {
        if (first) {
            page.empty("input", "type", "radio", "name", "scale", "id", id, "checked", "checked");
        } else {
            page.empty("input", "type", "radio", "name", "scale", "id", id);
        }
        page.leaf("label", label, "for", id);
    }

    /** How many times the best of Narayana, for every number of threads and not for the most flattering one. */
    private void tiles() {
        List<Integer> counts = threadCounts(Protocol.TWO_PHASE);
        if (counts.stream().allMatch(count -> timesBestPeer(count).isEmpty())) {
            return;
        }
        page.open("ul", "class", "tiles");
        for (int count : counts) {
            timesBestPeer(count).ifPresent(times -> {
                page.open("li").leaf("b", Text.three(times.factor()) + "×");
                page.leaf("span", Text.counted(count, "thread") + ": " + times.ours() + " against " + times.peer());
                page.close();
            });
        }
        page.close().line();
    }

    private record Times(double factor, String ours, String peer) {}

    private Optional<Times> timesBestPeer(int threads) {
        Optional<Cell.Transactions> peer = limits.bestDurablePeer(Protocol.TWO_PHASE, threads);
        Optional<Cell.Transactions> ours = featured(Protocol.TWO_PHASE).stream()
                .filter(store -> isDurable(store) && SubjectCatalog.named(store).isOurs())
                .map(store -> new Cell.Transactions(store, Protocol.TWO_PHASE, threads))
                .filter(cell -> results.of(cell).isPresent())
                .max(Comparator.comparingDouble(
                        cell -> results.of(cell).orElseThrow().median()));
        if (peer.isEmpty() || ours.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Times(
                results.of(ours.get()).orElseThrow().median()
                        / results.of(peer.get()).orElseThrow().median(),
                StoreLook.of(ours.get().store()).title(),
                StoreLook.of(peer.get().store()).title()));
    }

    private LineChart throughput(Protocol protocol) {
        LineChart chart = new LineChart();
        for (String store : featured(protocol)) {
            List<LineChart.Point> points = new ArrayList<>();
            for (int count : threadCounts(protocol)) {
                results.of(new Cell.Transactions(store, protocol, count))
                        .ifPresent(found -> points.add(
                                new LineChart.Point(count, found.median(), found.lowest(), found.highest())));
            }
            chart.line(StoreLook.of(store), points);
        }
        return chart;
    }

    private void fractions() {
        List<String> durable =
                featured(Protocol.TWO_PHASE).stream().filter(Page::isDurable).toList();
        if (durable.isEmpty()) {
            return;
        }
        heading("How far from what is possible");
        text(
                "The limit of the model is min(N/(L+Z), C/Z): N threads, L the time of one durable write by the disk, Z the CPU time"
                        + " of a commit in memory, C cores. A store can exceed the first part where the disk does several writes at once"
                        + " faster than one after the other.");
        BarChart ofLimit = bars(FULL_WIDTH, Protocol.TWO_PHASE, Text::percent);
        BarChart ofMemory = bars(FULL_WIDTH, Protocol.TWO_PHASE, Text::percent);
        for (String store : durable) {
            ofLimit.row(
                    StoreLook.of(store), values(store, Protocol.TWO_PHASE, (cell, found) -> limits.model(cell.threads())
                            .map(limit -> found.median() / limit)));
            ofMemory.row(StoreLook.of(store), values(store, Protocol.TWO_PHASE, (cell, found) -> limits.inMemory(
                            Protocol.TWO_PHASE, cell.threads())
                    .flatMap(results::of)
                    .map(memory -> found.median() / memory.median())));
        }
        figure(ofLimit, "Share of the model's limit", "Bars are to scale within a column.");
        figure(ofMemory, "Share of the in-memory store", "Bars are to scale within a column.");
        Report.diskTable(results).ifPresent(table -> table(table, "What the disk does, measured in the same run"));
    }

    private void latency() {
        List<String> charts = new ArrayList<>();
        for (int count : threadCounts(Protocol.TWO_PHASE)) {
            LatencyChart chart = new LatencyChart(Text.counted(count, "thread"));
            for (String store : featured(Protocol.TWO_PHASE)) {
                results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, count))
                        .ifPresent(found -> latencyRow(store, found).ifPresent(chart::row));
            }
            if (!chart.isEmpty()) {
                charts.add(chart.svg());
            }
        }
        if (charts.isEmpty()) {
            return;
        }
        heading("How long a commit takes");
        text(
                "From the median (mark) over 99 % (long stroke, end of the thick line) and 99.9 % (short stroke) to the longest one"
                        + " that was timed (cross). One transaction in sixteen is timed; callers do not pause, so this is latency under"
                        + " full load.");
        pairs(charts);
    }

    private static Optional<LatencyChart.Row> latencyRow(String store, Measurement found) {
        if (Stream.of(Metric.P50, Metric.P99, Metric.P999, Metric.MAX)
                .anyMatch(metric -> found.metric(metric).isEmpty())) {
            return Optional.empty();
        }
        return Optional.of(new LatencyChart.Row(
                StoreLook.of(store),
                found.metric(Metric.P50).orElseThrow(),
                found.metric(Metric.P99).orElseThrow(),
                found.metric(Metric.P999).orElseThrow(),
                found.metric(Metric.MAX).orElseThrow()));
    }

    private void distribution() {
        List<String> durable =
                featured(Protocol.TWO_PHASE).stream().filter(Page::isDurable).toList();
        List<String> charts = new ArrayList<>();
        for (int count : threadCounts(Protocol.TWO_PHASE)) {
            DistributionChart chart = new DistributionChart(Text.counted(count, "thread"));
            for (String store : durable) {
                results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, count))
                        .filter(found -> found.rates().size() > 1)
                        .ifPresent(found -> chart.curve(StoreLook.of(store), found.rates()));
            }
            if (!chart.isEmpty()) {
                charts.add(chart.svg());
            }
        }
        if (charts.isEmpty()) {
            return;
        }
        heading("What one can rely on");
        boolean sliced = results.measurements().values().stream()
                .anyMatch(found -> !found.slices().isEmpty());
        text("Averages hide what hurts. Each curve shows in which share of all "
                + (sliced ? "tenths of a second" : "iterations")
                + " a store did so many transactions per second, or better: the steeper, the steadier.");
        pairs(charts);
        machines(durable);
    }

    private void machines(List<String> durable) {
        List<Integer> counts = threadCounts(Protocol.TWO_PHASE);
        int threads = counts.contains(CROWD) ? CROWD : counts.get(counts.size() - 1);
        Optional<Measurement> reference = limits.bestDurablePeer(Protocol.TWO_PHASE, threads)
                .flatMap(results::of)
                .or(() -> durable.stream()
                        .flatMap(
                                store -> results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, threads)).stream())
                        .findFirst());
        if (reference.isEmpty()) {
            return;
        }
        double target = Machines.targetFor(reference.get().median());
        Table table = new Table("store")
                .column("median tx/s", 0)
                .column("99 % of the time at least", 0)
                .column("best", 0)
                .column("machines at their best", 0)
                .column("machines, 99 % certain", 0);
        for (String store : durable) {
            results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, threads))
                    .ifPresent(found -> {
                        Machines machines = new Machines(found.rates());
                        table.row(List.of(
                                store,
                                Text.whole(found.median()),
                                Text.whole(quantile(found.rates(), WORST_SHARE)),
                                Text.whole(found.rates().get(found.rates().size() - 1)),
                                Text.whole(machines.atBest(target)),
                                Text.whole(machines.surely(target))));
                    });
        }
        page.leaf(
                "h3",
                "Machines like this one for " + Text.whole(target) + " commits per second, "
                        + Text.counted(threads, "thread") + " each");
        text(
                "What a data sheet would say, every machine at its best, and what reaches the rate in 99 % of the moments, if each"
                        + " machine is at any moment in one of the measured slices, whatever the others do.");
        table(table, "");
    }

    static double quantile(List<Double> ascending, double share) {
        return ascending.get((int) Math.floor(share * (ascending.size() - 1)));
    }

    private void costs() {
        if (featured(Protocol.TWO_PHASE).isEmpty()) {
            return;
        }
        heading("What a commit costs");
        text("Of the whole process: the store's own threads, the compiler and the collector included.");
        metric("CPU time per commit", Metric.CPU, LatencyChart::unit, "The steadiest figure on a busy machine.");
        metric(
                "Voluntary context switches per commit",
                Metric.SWITCHES,
                Text::three,
                "How often a thread gave up its core to wait: what hand-offs between threads cost.");
        metric("Bytes allocated per commit", Metric.ALLOCATED, Text::brief, "The transaction manager's own included.");
        BarChart syncs = bars(FULL_WIDTH, Protocol.TWO_PHASE, Text::brief);
        BarChart records = bars(FULL_WIDTH, Protocol.TWO_PHASE, Text::three);
        for (String store : featured(Protocol.TWO_PHASE)) {
            syncs.row(
                    StoreLook.of(store), values(store, Protocol.TWO_PHASE, (cell, found) -> found.metric(Metric.FORCES)
                            .map(forces -> forces * found.median())));
            records.row(
                    StoreLook.of(store),
                    values(store, Protocol.TWO_PHASE, (cell, found) -> found.metric(Metric.RECORDS_PER_FORCE)));
        }
        figure(syncs, "Syncs per second", "Our stores count them; the peers do not tell.");
        figure(records, "Records per sync", "Writes and removals that one wait for the disk made durable together.");
    }

    private void metric(String title, Metric metric, Function<Double, String> format, String caption) {
        BarChart chart = bars(FULL_WIDTH, Protocol.TWO_PHASE, format);
        featured(Protocol.TWO_PHASE)
                .forEach(store -> chart.row(
                        StoreLook.of(store), values(store, Protocol.TWO_PHASE, (cell, found) -> found.metric(metric))));
        figure(chart, title, caption);
    }

    private void onePhase() {
        BarChart chart = bars(FULL_WIDTH, Protocol.ONE_PHASE, Text::brief);
        for (String store : stores(Protocol.ONE_PHASE)) {
            chart.row(
                    StoreLook.of(store),
                    values(store, Protocol.ONE_PHASE, (cell, found) -> Optional.of(found.median())));
        }
        if (chart.isEmpty()) {
            return;
        }
        heading("One-phase commits: no store is touched");
        text(
                "With a single resource nothing is logged, so this measures the transaction manager and whoever keeps its time limits,"
                        + " and never a store: one that “wins” here has won nothing. The rows differ only in who would roll a transaction"
                        + " back when its time is over.");
        figure(chart, "One-phase commits per second", "Bars are to scale within a column.");
    }

    private void work() {
        WorkReport work = new WorkReport(results);
        if (work.stores().isEmpty()) {
            return;
        }
        heading("With work in it");
        text(
                "The same commit, but each transaction changes a row in each of two embedded databases (H2, in files on the same disk)."
                        + " H2 as it ships does not force what it commits, so the store's forced write is the only one; with databases"
                        + " that force, the choice of store weighs less still.");
        List<String> columns = work.threadCounts().stream()
                .map(count -> Text.counted(count, "thread"))
                .toList();
        BarChart rates = new BarChart(FULL_WIDTH, columns, Text::brief);
        BarChart shares = new BarChart(FULL_WIDTH, columns, Text::percent);
        for (String store : StoreLook.featured(work.stores(), results)) {
            StoreLook look = StoreLook.of(store);
            rates.row(
                    look,
                    work.threadCounts().stream()
                            .map(count -> work.rate(store, count))
                            .toList());
            if (isDurable(store)) {
                shares.row(
                        look,
                        work.threadCounts().stream()
                                .map(count -> work.shareOfMemory(store, count))
                                .toList());
            }
        }
        figure(rates, "Transactions with work per second", "Bars are to scale within a column.");
        figure(
                shares,
                "Share of what they do without a durable log",
                "The in-memory store under the same work is 100 %.");
        List<String> correlations = work.correlations();
        if (!correlations.isEmpty()) {
            page.leaf("h3", "Had the empty transactions told so?");
            text("1 means that both put the stores into the same order, 0 that one says nothing of the other.");
            page.open("ul");
            correlations.forEach(line -> page.leaf("li", line));
            page.close().line();
        }
    }

    private void recovery() {
        WorkReport extras = new WorkReport(results);
        BarChart chart = new BarChart(FULL_WIDTH / 2, List.of("milliseconds, less is better"), Text::brief);
        extras.recovered()
                .forEach(store -> chart.row(
                        StoreLook.of(store),
                        List.of(results.of(new Cell.Recovery(store)).map(Measurement::median))));
        if (chart.isEmpty()) {
            return;
        }
        heading("How soon it is back");
        text("A process does " + Text.whole(RecoveryBenchmark.TRANSACTIONS) + " transactions, leaves "
                + RecoveryBenchmark.LEFT
                + " records and is halted; a new JVM opens the store and reads them. Its code is cold,"
                + " and the page cache still has the files.");
        page.open("div", "class", "pair")
                .open("figure")
                .raw(chart.svg("recovery time"))
                .close();
        extras.recoveryTable().ifPresent(table -> table(table, ""));
        page.close().line();
    }

    private void year2011(Table table) {
        heading("Beside the figures of 2011");
        text("The disk was slowed down to that of 2011: " + machine.fact(Machine.THROTTLED) + ", so that "
                + machine.fact(Machine.CALIBRATED)
                + ". The processor is today's. Figures of 2011: empty transactions, dummy resources, as here.");
        table(table, "");
    }

    private void comparison(Comparison found) {
        heading("Against the earlier run");
        found.differences().forEach(difference -> banner("Not the same machine: " + difference));
        if (found.rows().isEmpty()) {
            text("The two runs have nothing in common.");
            return;
        }
        text(
                "How many times as fast this run is, cell by cell. The mark compares the medians; the bar goes from the worst iteration"
                        + " now over the best before to the best now over the worst before. A bar that reaches the line at 1 may be"
                        + " noise; one that does not is a difference that no iteration of the other run reached.");
        page.open("figure").raw(new ComparisonChart(found.rows()).svg()).close().line();
    }

    private void stores() {
        heading("The stores");
        page.open("div", "class", "scroll").open("table");
        page.open("tr")
                .leaf("th", "store")
                .leaf("th", "in charts", "class", "words")
                .leaf("th", "what it is", "class", "words")
                .close();
        List<String> names = Stream.of(Protocol.values())
                .flatMap(protocol -> stores(protocol).stream())
                .distinct()
                .toList();
        for (String store : names) {
            Optional<Subject> subject = subject(store);
            page.open("tr", "class", subject.filter(Subject::isOurs).isPresent() ? "ours" : "peer");
            page.leaf("td", store).leaf("td", StoreLook.of(store).title(), "class", "words");
            String choice = machine.choices().get(store);
            page.leaf(
                    "td",
                    subject.map(Subject::description).orElse("") + (choice == null ? "" : ". Here: " + choice),
                    "class",
                    "words");
            page.close();
        }
        page.close().close().line();
        Map<String, String> missing = results.state().missing();
        if (!missing.isEmpty()) {
            page.leaf("h3", "Not measured").open("dl");
            missing.forEach((what, why) -> page.leaf("dt", what).leaf("dd", why));
            page.close().line();
        }
    }

    private void figures() {
        heading("All figures");
        for (Protocol protocol : Protocol.values()) {
            for (int count : threadCounts(protocol)) {
                page.open("details", "open", "open");
                page.leaf(
                        "summary",
                        protocol.label() + ", " + Text.counted(count, "thread")
                                + (protocol == Protocol.ONE_PHASE ? " (no store is touched)" : ""));
                table(new Report(results, Terminal.NOWHERE).detailsTable(protocol, count), "");
                page.close().line();
            }
        }
    }

    private void environment() {
        heading("Machine and command");
        page.open("dl");
        fact("command", machine.fact(Machine.COMMAND));
        fact("date", machine.fact(Machine.DATE));
        if (machine.facts().containsKey(Machine.RESUMED)) {
            fact("resumed", machine.fact(Machine.RESUMED));
        }
        fact("cores", machine.fact(Machine.CORES) + ", " + machine.fact(Machine.CPU));
        fact("memory", machine.fact(Machine.MEMORY));
        fact("kernel", machine.fact(Machine.SYSTEM));
        fact("JVM", machine.fact(Machine.JVM));
        fact("directory", machine.fact(Machine.DIRECTORY));
        fact("file system", machine.fact(Machine.FILE_SYSTEM) + " on " + machine.fact(Machine.MOUNT_DEVICE));
        fact("mount", machine.fact(Machine.MOUNT));
        fact("write cache", machine.fact(Machine.WRITE_CACHE));
        Map.of("slow disk", Machine.THROTTLED, "as in 2011", Machine.CALIBRATED).forEach((name, fact) -> {
            if (machine.facts().containsKey(fact)) {
                fact(name, machine.fact(fact));
            }
        });
        fact("others' CPU before the run", machine.fact(Machine.OTHERS));
        page.close().line();
    }

    private void fact(String name, String value) {
        page.leaf("dt", name).leaf("dd", value);
    }

    private void heading(String text) {
        page.leaf("h2", text).line();
    }

    private void text(String text) {
        page.leaf("p", text).line();
    }

    private void figure(BarChart chart, String title, String caption) {
        if (!chart.isEmpty()) {
            page.leaf("h3", title)
                    .open("figure")
                    .raw(chart.svg(title))
                    .leaf("figcaption", caption)
                    .close()
                    .line();
        }
    }

    private void pairs(List<String> charts) {
        page.open("div", "class", "pair");
        charts.forEach(chart -> page.open("figure").raw(chart).close());
        page.close().line();
    }

    private void table(Table table, String caption) {
        page.open("div", "class", "scroll").open("table");
        if (!caption.isEmpty()) {
            page.leaf("caption", caption);
        }
        page.open("tr");
        table.titles().forEach(title -> page.leaf("th", title));
        page.close();
        for (List<String> row : table.cells()) {
            page.open("tr", "class", subject(row.get(0)).filter(Subject::isOurs).isPresent() ? "ours" : "peer");
            row.forEach(cell -> page.leaf("td", cell.replace(" us", " µs")));
            page.close();
        }
        page.close().close().line();
    }

    private BarChart bars(double width, Protocol protocol, Function<Double, String> format) {
        return new BarChart(
                width,
                threadCounts(protocol).stream()
                        .map(count -> Text.counted(count, "thread"))
                        .toList(),
                format);
    }

    /** A figure of one cell, where there is one. */
    @FunctionalInterface
    private interface Figure {
        Optional<Double> of(Cell.Transactions cell, Measurement found);
    }

    private List<Optional<Double>> values(String store, Protocol protocol, Figure figure) {
        return threadCounts(protocol).stream()
                .map(count -> new Cell.Transactions(store, protocol, count))
                .map(cell -> results.of(cell).flatMap(found -> figure.of(cell, found)))
                .toList();
    }

    private List<String> featured(Protocol protocol) {
        return StoreLook.featured(stores(protocol), results);
    }

    private List<String> stores(Protocol protocol) {
        return results.measurements().keySet().stream()
                .filter(cell -> cell instanceof Cell.Transactions transactions && transactions.protocol() == protocol)
                .map(cell -> ((Cell.Transactions) cell).store())
                .distinct()
                .sorted(Comparator.comparingInt(Report::catalogueOrder))
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

    private static boolean isDurable(String store) {
        return subject(store).filter(Subject::isDurable).isPresent();
    }

    private static Optional<Subject> subject(String store) {
        return SubjectCatalog.all().stream()
                .filter(subject -> subject.name().equals(store))
                .findFirst();
    }

    private static String resource(String name) {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException incomplete) {
            throw new UncheckedIOException("the jar is damaged: " + name, incomplete);
        }
    }
}
