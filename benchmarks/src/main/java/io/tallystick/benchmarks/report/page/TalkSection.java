package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.report.chart.Axis;
import io.tallystick.benchmarks.report.chart.LineChart;

/** What an audience sees of a run, on one screen. */
final class TalkSection implements Section {
    private final MeasuredStores stores;

    TalkSection(MeasuredStores stores) {
        this.stores = stores;
    }

    @Override
    public void writeTo(PageBody page) {
        Machine machine = stores.results().machine();
        ThroughputSection throughput = new ThroughputSection(stores);
        page.leaf("h1", HeaderSection.title(machine));
        page.leaf(
                "p",
                "Two-phase commits per second against threads that commit. " + machine.fact(Machine.CORES) + " cores, "
                        + machine.fact(Machine.FILE_SYSTEM) + "; median and range of all iterations, stores in turns.",
                "class",
                "lead");
        if (machine.isMemoryFileSystem()) {
            page.banner("Measured in memory: nothing here was durable.");
        }
        String what = "two-phase commits per second against threads, a line for each store";
        LineChart chart = throughput.chart();
        page.open("figure");
        page.inBothWidths(
                "",
                chart.svg(LineChart.Frame.TALK, Axis.Scale.LINEAR, what, ""),
                "",
                chart.svg(LineChart.Frame.NARROW, Axis.Scale.LINEAR, what, ""));
        page.close().line();
        page.open("div", "class", "beside");
        throughput.tiles(page);
        page.leaf("h2", "What one can rely on: Tallystick on disk");
        page.open("ul", "class", "promises");
        page.leaf("li", "A commit returns after its decision is on disk: written, then forced.");
        page.leaf("li", "After a killed process or a power cut, every decision that was returned is found again.");
        page.leaf("li", "The first write or force that fails ends the store's life: it never guesses.");
        page.leaf("li", "Damage that a checksum finds is told at opening, with file and place.");
        page.leaf(
                "li",
                "Not against a disk that reports a flush and did not do it. Lines in memory promise nothing.",
                "class",
                "limit");
        page.close().close().line();
    }
}
