package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.report.Limits;
import io.tallystick.benchmarks.report.Report;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.chart.BarChart;
import io.tallystick.benchmarks.report.chart.StoreLook;
import java.util.List;

/** Each durable store as a share of the model's limit and of the in-memory store, and the disk alone. */
final class LimitSection implements Section {
    private final Results results;
    private final MeasuredStores stores;
    private final Limits limits;

    LimitSection(MeasuredStores stores) {
        this.results = stores.results();
        this.stores = stores;
        this.limits = stores.limits();
    }

    @Override
    public void writeTo(PageBody page) {
        List<String> durable = stores.featured(Protocol.TWO_PHASE).stream()
                .filter(MeasuredStores::isDurable)
                .toList();
        if (durable.isEmpty()) {
            return;
        }
        page.heading("How far from the limit");
        page.paragraph("The limit of the model is min(N/(L+Z), C/Z): N threads, L the time of one durable write by"
                + " the disk, Z the CPU time of a commit in memory, C cores. A store can exceed N/(L+Z) if the disk"
                + " is faster with several writes in flight than with one.");
        BarChart ofLimit = stores.bars(Protocol.TWO_PHASE, Text::percent);
        BarChart ofMemory = stores.bars(Protocol.TWO_PHASE, Text::percent);
        for (String store : durable) {
            ofLimit.row(StoreLook.of(store), stores.values(store, Protocol.TWO_PHASE, (cell, found) -> limits.model(
                            cell.threads())
                    .map(limit -> found.median() / limit)));
            ofMemory.row(StoreLook.of(store), stores.values(store, Protocol.TWO_PHASE, (cell, found) -> limits.inMemory(
                            Protocol.TWO_PHASE, cell.threads())
                    .flatMap(results::of)
                    .map(memory -> found.median() / memory.median())));
        }
        page.figure(ofLimit, "Share of the model's limit", "Bars are to scale within a column.");
        page.figure(ofMemory, "Share of the in-memory store", "Bars are to scale within a column.");
        Report.diskTable(results).ifPresent(table -> page.table(table, "The disk, measured in the same run"));
    }
}
