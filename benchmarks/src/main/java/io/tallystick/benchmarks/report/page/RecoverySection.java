package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.measure.RecoveryBenchmark;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.WorkReport;
import io.tallystick.benchmarks.report.chart.BarChart;
import io.tallystick.benchmarks.report.chart.StoreLook;
import java.util.List;

/** The time until a new JVM has read the records that a halted one left. */
final class RecoverySection implements Section {
    private final Results results;

    RecoverySection(Results results) {
        this.results = results;
    }

    @Override
    public void writeTo(PageBody page) {
        WorkReport extras = new WorkReport(results);
        BarChart chart = new BarChart(PageBody.WIDTH / 2, List.of("milliseconds, less is better"), Text::brief);
        extras.recovered()
                .forEach(store -> chart.row(
                        StoreLook.of(store),
                        List.of(results.of(new Cell.Recovery(store)).map(Measurement::median))));
        if (chart.isEmpty()) {
            return;
        }
        page.heading("How long recovery takes");
        page.paragraph("A process does " + Text.whole(RecoveryBenchmark.TRANSACTIONS) + " transactions, leaves "
                + RecoveryBenchmark.LEFT
                + " records and is halted; a new JVM opens the store and reads them. Its code is cold,"
                + " and the page cache still has the files.");
        page.open("div", "class", "pair")
                .open("figure")
                .raw(chart.svg("recovery time"))
                .close();
        extras.recoveryTable().ifPresent(table -> page.table(table, ""));
        page.close().line();
    }
}
