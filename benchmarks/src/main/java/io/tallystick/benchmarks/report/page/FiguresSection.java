package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.report.Report;
import io.tallystick.benchmarks.report.Results;

/** Every figure of the charts as a table. */
final class FiguresSection implements Section {
    private final Results results;
    private final MeasuredStores stores;

    FiguresSection(MeasuredStores stores) {
        this.results = stores.results();
        this.stores = stores;
    }

    @Override
    public void writeTo(PageBody page) {
        page.heading("All figures");
        for (Protocol protocol : Protocol.values()) {
            for (int count : stores.threadCounts(protocol)) {
                page.open("details", "open", "open");
                page.leaf(
                        "summary",
                        protocol.label() + ", " + Text.counted(count, "thread")
                                + (protocol == Protocol.ONE_PHASE ? " (no store is touched)" : ""));
                page.table(new Report(results, Terminal.NOWHERE).detailsTable(protocol, count), "");
                page.close().line();
            }
        }
    }
}
