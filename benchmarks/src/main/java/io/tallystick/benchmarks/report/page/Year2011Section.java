package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.Table;
import io.tallystick.benchmarks.report.Year2011;

/** The figures of 2011 beside those of this run, on a disk as slow as that of 2011. */
final class Year2011Section implements Section {
    private final Results results;
    private final Machine machine;

    Year2011Section(Results results) {
        this.results = results;
        this.machine = results.machine();
    }

    @Override
    public void writeTo(PageBody page) {
        Year2011.table(results).ifPresent(table -> write(page, table));
    }

    private void write(PageBody page, Table table) {
        page.heading("Beside the figures of 2011");
        page.paragraph("The disk was slowed down to that of 2011: " + machine.fact(Machine.THROTTLED) + ", so that "
                + machine.fact(Machine.CALIBRATED)
                + ". The processor is today's. Figures of 2011: empty transactions, dummy resources, as here.");
        page.table(table, "");
    }
}
