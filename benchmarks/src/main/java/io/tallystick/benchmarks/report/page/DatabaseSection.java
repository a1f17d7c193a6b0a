package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.TakeoverBenchmark;
import io.tallystick.benchmarks.report.DatabaseReport;
import io.tallystick.benchmarks.report.Results;

/** Stores whose log is in a database, apart from those on the disk. */
final class DatabaseSection implements Section {
    private final DatabaseReport report;

    DatabaseSection(Results results) {
        this.report = new DatabaseReport(results);
    }

    @Override
    public void writeTo(PageBody page) {
        if (report.isEmpty()) {
            return;
        }
        page.heading("In a PostgreSQL database");
        page.paragraph("Two-phase commits, as everywhere on this page. The servers run on the same machine and the same"
                + " disk, so a standby shares both. These stores are compared with each other only.");
        report.overview().ifPresent(table -> page.table(table, "transactions per second"));
        report.threadCounts().forEach(count -> page.table(report.detailsTable(count), Text.counted(count, "thread")));
        report.statementTable().ifPresent(table -> page.table(table, "the statement of our store, without a store"));
        report.takeoverTable()
                .ifPresent(table -> page.table(
                        table,
                        "a new process takes the log of a halted one over, and reads its "
                                + Text.whole(TakeoverBenchmark.LEFT_BEHIND) + " records"));
    }
}
