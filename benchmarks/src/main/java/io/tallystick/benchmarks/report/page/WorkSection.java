package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.WorkReport;
import io.tallystick.benchmarks.report.chart.BarChart;
import io.tallystick.benchmarks.report.chart.StoreLook;
import java.util.List;

/** Transactions that change rows of two databases. */
final class WorkSection implements Section {
    private final Results results;

    WorkSection(Results results) {
        this.results = results;
    }

    @Override
    public void writeTo(PageBody page) {
        WorkReport work = new WorkReport(results);
        if (work.stores().isEmpty()) {
            return;
        }
        page.heading("With work in it");
        page.paragraph(
                "The same commit, but each transaction changes a row in each of two embedded databases (H2, in files"
                        + " on the same disk). H2 as it ships does not force its commits, so the store's forced"
                        + " write is the only one. With databases that force, the choice of a store matters even"
                        + " less.");
        List<String> columns = work.threadCounts().stream()
                .map(count -> Text.counted(count, "thread"))
                .toList();
        BarChart rates = new BarChart(PageBody.WIDTH, columns, Text::brief);
        BarChart shares = new BarChart(PageBody.WIDTH, columns, Text::percent);
        for (String store : MeasuredStores.featured(work.stores(), results)) {
            StoreLook look = StoreLook.of(store);
            rates.row(
                    look,
                    work.threadCounts().stream()
                            .map(count -> work.rate(store, count))
                            .toList());
            if (MeasuredStores.isDurable(store)) {
                shares.row(
                        look,
                        work.threadCounts().stream()
                                .map(count -> work.shareOfMemory(store, count))
                                .toList());
            }
        }
        page.figure(rates, "Transactions with work per second", "Bars are to scale within a column.");
        page.figure(
                shares, "Share of the rate without a durable log", "The in-memory store under the same work is 100 %.");
        List<String> correlations = work.correlations();
        if (!correlations.isEmpty()) {
            page.leaf("h3", "Do the empty transactions predict this?");
            page.paragraph("1 means that both put the stores into the same order; 0 means that one does not predict the"
                    + " other.");
            page.open("ul");
            correlations.forEach(line -> page.leaf("li", line));
            page.close().line();
        }
    }
}
