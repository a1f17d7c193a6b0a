package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.report.Advice;
import io.tallystick.benchmarks.report.Limits;
import io.tallystick.benchmarks.report.Report;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.chart.Axis;
import io.tallystick.benchmarks.report.chart.LatencyChart;
import io.tallystick.benchmarks.report.chart.LineChart;
import io.tallystick.benchmarks.report.chart.StoreLook;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Commits that are logged, against threads, and their factor over the best store of Narayana. */
final class ThroughputSection implements Section {
    private final Results results;
    private final MeasuredStores stores;
    private final Limits limits;

    ThroughputSection(MeasuredStores stores) {
        this.results = stores.results();
        this.stores = stores;
        this.limits = stores.limits();
    }

    @Override
    public void writeTo(PageBody page) {
        LineChart chart = chart();
        if (chart.isEmpty()) {
            return;
        }
        page.heading("Commits per second");
        page.paragraph("Two-phase commits of two dummy resources without any work. Each commit writes one log record,"
                + " forces it, and removes it. An empty transaction exaggerates the store; with work in it,"
                + " the same store costs a smaller share.");
        tiles(page);
        page.open("figure").open("div", "class", "switch").line();
        choice(page, "linear", "linear", true);
        choice(page, "logarithmic", "logarithmic", false);
        String what = "two-phase commits per second against threads, a line for each store";
        for (Axis.Scale scale : Axis.Scale.values()) {
            String name = scale.name().toLowerCase(Locale.ROOT);
            page.inBothWidths(
                    name + " ",
                    chart.svg(scale, what, ""),
                    name + " ",
                    chart.svg(LineChart.Frame.NARROW, scale, what, ""));
        }
        page.leaf("p", "The dotted line is memory alone.", "class", "logarithmic caption");
        page.close();
        page.leaf(
                "figcaption",
                "Median over all iterations of all JVMs. The whisker beside it goes from the worst iteration to the"
                        + " best. Full lines and filled marks are ours, dashed lines and hollow marks are"
                        + " Narayana's. Beside each name: the figure with most threads.");
        page.close().line();
        Advice.of(results).ifPresent(advice -> {
            page.leaf("h3", "On this disk");
            advice.lines().forEach(page::paragraph);
        });
        page.entries("In doubt: no ratio is made of these", Report.doubts(results));
    }

    private void choice(PageBody page, String id, String label, boolean first) {
        if (first) {
            page.empty("input", "type", "radio", "name", "scale", "id", id, "checked", "checked");
        } else {
            page.empty("input", "type", "radio", "name", "scale", "id", id);
        }
        page.leaf("label", label, "for", id);
    }

    /** The factors of our default store over the best store of Narayana, for every number of threads. */
    void tiles(PageBody page) {
        List<Integer> counts = stores.threadCounts(Protocol.TWO_PHASE);
        Optional<Unit> unit = unit(counts);
        if (unit.isEmpty()
                && counts.stream().allMatch(count -> timesBestPeer(count).isEmpty())) {
            return;
        }
        page.open("ul", "class", "tiles");
        unit.ifPresent(found -> {
            page.open("li").leaf("b", Text.three(found.commits()));
            page.leaf(
                    "span",
                    "commits for each durable write of the disk: " + found.store() + ", "
                            + Text.counted(found.threads(), "thread") + found.cpu());
            page.close();
        });
        for (int count : counts) {
            timesBestPeer(count).ifPresent(times -> {
                page.open("li").leaf("b", Text.three(times.factor()) + "×");
                page.leaf("span", Text.counted(count, "thread") + ": " + times.ours() + " against " + times.peer());
                page.close();
            });
        }
        page.close().line();
    }

    /** Commits for each durable write of the disk where there are most of them, and the processor time of each. */
    private Optional<Unit> unit(List<Integer> counts) {
        return counts.stream()
                .map(count -> new Cell.Transactions(SubjectCatalog.DEFAULT, Protocol.TWO_PHASE, count))
                .flatMap(cell -> limits
                        .commitsPerDurableWrite(cell)
                        .map(commits -> new Unit(
                                commits,
                                StoreLook.of(cell.store()).title(),
                                cell.threads(),
                                results.of(cell)
                                        .flatMap(found -> found.metric(Metric.CPU))
                                        .map(micros -> ", " + LatencyChart.unit(micros) + " of processor each")
                                        .orElse("")))
                        .stream())
                .max(Comparator.comparingDouble(Unit::commits));
    }

    private record Unit(double commits, String store, int threads, String cpu) {}

    private record Times(double factor, String ours, String peer) {}

    private Optional<Times> timesBestPeer(int threads) {
        Optional<Cell.Transactions> peer = limits.bestDurablePeer(Protocol.TWO_PHASE, threads);
        Optional<Cell.Transactions> ours = stores.featured(Protocol.TWO_PHASE).stream()
                .filter(store -> MeasuredStores.isDurable(store)
                        && SubjectCatalog.named(store).isOurs())
                .map(store -> new Cell.Transactions(store, Protocol.TWO_PHASE, threads))
                .filter(cell -> results.of(cell).isPresent())
                .max(Comparator.comparing(
                                (Cell.Transactions cell) -> cell.store().equals(SubjectCatalog.DEFAULT))
                        .thenComparing(cell -> results.of(cell).orElseThrow().median()));
        if (peer.filter(limits::isComparable).isEmpty()
                || ours.filter(limits::isComparable).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Times(
                results.of(ours.get()).orElseThrow().median()
                        / results.of(peer.get()).orElseThrow().median(),
                StoreLook.of(ours.get().store()).title(),
                StoreLook.of(peer.get().store()).title()));
    }

    /** Commits that are logged. */
    LineChart chart() {
        LineChart chart = new LineChart();
        for (String store : stores.featured(Protocol.TWO_PHASE)) {
            List<LineChart.Point> points = new ArrayList<>();
            for (int count : stores.threadCounts(Protocol.TWO_PHASE)) {
                results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, count))
                        .ifPresent(found -> points.add(
                                new LineChart.Point(count, found.median(), found.lowest(), found.highest())));
            }
            chart.line(StoreLook.of(store), points);
        }
        return chart;
    }
}
