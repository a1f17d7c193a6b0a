package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.report.chart.BarChart;
import io.tallystick.benchmarks.report.chart.LatencyChart;
import io.tallystick.benchmarks.report.chart.StoreLook;
import java.util.function.Function;

/** Processor time, context switches, memory and syncs of a commit. */
final class CostSection implements Section {
    private final MeasuredStores stores;

    CostSection(MeasuredStores stores) {
        this.stores = stores;
    }

    @Override
    public void writeTo(PageBody page) {
        if (stores.featured(Protocol.TWO_PHASE).isEmpty()) {
            return;
        }
        page.heading("The cost of a commit");
        page.paragraph("The figures are of the whole process, with the store's own threads, the compiler and the"
                + " collector.");
        metric(page, "CPU time per commit", Metric.CPU, LatencyChart::unit, "The steadiest figure on a busy machine.");
        metric(
                page,
                "Voluntary context switches per commit",
                Metric.SWITCHES,
                Text::three,
                "How often a thread gave up its core to wait: the cost of hand-offs between threads.");
        metric(
                page,
                "Bytes allocated per commit",
                Metric.ALLOCATED,
                Text::brief,
                "With those of the transaction manager.");
        BarChart syncs = stores.bars(Protocol.TWO_PHASE, Text::brief);
        BarChart records = stores.bars(Protocol.TWO_PHASE, Text::three);
        for (String store : stores.featured(Protocol.TWO_PHASE)) {
            syncs.row(StoreLook.of(store), stores.values(store, Protocol.TWO_PHASE, (cell, found) -> found.metric(
                            Metric.FORCES)
                    .map(forces -> forces * found.median())));
            records.row(
                    StoreLook.of(store),
                    stores.values(store, Protocol.TWO_PHASE, (cell, found) -> found.metric(Metric.RECORDS_PER_FORCE)));
        }
        page.figure(syncs, "Syncs per second", "Our stores count them; the peers do not tell.");
        page.figure(records, "Records per sync", "Writes and removals that one wait for the disk made durable.");
    }

    private void metric(PageBody page, String title, Metric metric, Function<Double, String> format, String caption) {
        BarChart chart = stores.bars(Protocol.TWO_PHASE, format);
        stores.featured(Protocol.TWO_PHASE)
                .forEach(store -> chart.row(
                        StoreLook.of(store),
                        stores.values(store, Protocol.TWO_PHASE, (cell, found) -> found.metric(metric))));
        page.figure(chart, title, caption);
    }
}
