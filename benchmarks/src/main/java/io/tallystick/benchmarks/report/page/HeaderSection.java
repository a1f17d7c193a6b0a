package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.RunState;
import io.tallystick.benchmarks.report.Report;
import io.tallystick.benchmarks.report.Results;

/** The title, the machine, and warnings that concern every figure. */
final class HeaderSection implements Section {
    private final Results results;
    private final Machine machine;

    HeaderSection(Results results) {
        this.results = results;
        this.machine = results.machine();
    }

    @Override
    public void writeTo(PageBody page) {
        page.leaf("h1", "The cost of a transaction log");
        page.leaf(
                "p",
                "Stores of Tallystick and of Narayana in one run, interleaved, under the same transaction manager: "
                        + machine.fact(Machine.CORES) + " cores (" + machine.fact(Machine.CPU) + "), "
                        + machine.fact(Machine.FILE_SYSTEM) + ", " + machine.fact(Machine.DATE) + ".",
                "class",
                "lead");
        page.open("p", "class", "lead")
                .leaf("code", machine.fact(Machine.COMMAND))
                .close()
                .line();
        banners(page);
    }

    private void banners(PageBody page) {
        if (machine.isMemoryFileSystem()) {
            page.leaf(
                    "div",
                    "Measured in memory (" + machine.fact(Machine.FILE_SYSTEM)
                            + "): nothing here was durable, and no figure of a durable store means anything.",
                    "class",
                    "banner alarm",
                    "role",
                    "alert");
        }
        RunState state = results.state();
        if (state.isPartial()) {
            page.banner("Partial: the run ended after " + state.done() + " of " + state.planned()
                    + " steps. What is missing was not measured; the spread of the rest comes from fewer JVMs.");
        }
        if (machine.wasBusy()) {
            page.banner("The machine was busy: other programs used " + machine.fact(Machine.OTHERS)
                    + " of its cores when the run began.");
        }
        Report.disturbance(results).ifPresent(page::banner);
    }
}
