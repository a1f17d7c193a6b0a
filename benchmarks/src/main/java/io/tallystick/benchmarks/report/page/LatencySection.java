package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.chart.LatencyChart;
import io.tallystick.benchmarks.report.chart.StoreLook;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The latency of a commit, with a chart for each number of threads. */
final class LatencySection implements Section {
    private final Results results;
    private final MeasuredStores stores;

    LatencySection(MeasuredStores stores) {
        this.results = stores.results();
        this.stores = stores;
    }

    @Override
    public void writeTo(PageBody page) {
        List<String> charts = new ArrayList<>();
        for (int count : stores.threadCounts(Protocol.TWO_PHASE)) {
            LatencyChart chart = new LatencyChart(Text.counted(count, "thread"));
            for (String store : stores.featured(Protocol.TWO_PHASE)) {
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
        page.heading("How long a commit takes");
        page.paragraph(
                "The mark is the median. The long stroke at the end of the thick line is 99 %, the short stroke 99.9"
                        + " %, the cross the longest. One transaction in sixteen is timed. Callers do not pause, so"
                        + " this is latency under full load.");
        page.pairs(charts);
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
}
