package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.report.chart.BarChart;
import io.tallystick.benchmarks.report.chart.StoreLook;
import java.util.Optional;

/** Commits that touch no store, apart from all others. */
final class OnePhaseSection implements Section {
    private final MeasuredStores stores;

    OnePhaseSection(MeasuredStores stores) {
        this.stores = stores;
    }

    @Override
    public void writeTo(PageBody page) {
        BarChart chart = stores.bars(Protocol.ONE_PHASE, Text::brief);
        for (String store : stores.all(Protocol.ONE_PHASE)) {
            chart.row(
                    StoreLook.of(store),
                    stores.values(store, Protocol.ONE_PHASE, (cell, found) -> Optional.of(found.median())));
        }
        if (chart.isEmpty()) {
            return;
        }
        page.heading("One-phase commits: no store is touched");
        page.paragraph("With a single resource nothing is logged. So this measures the transaction manager and its"
                + " reaper, and never a store: no store is better or worse here. The rows differ only in the"
                + " reaper, which rolls a transaction back when its time is over.");
        page.figure(chart, "One-phase commits per second", "Bars are to scale within a column.");
    }
}
