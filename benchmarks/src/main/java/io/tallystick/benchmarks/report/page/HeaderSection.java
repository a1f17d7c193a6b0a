package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.RunState;
import io.tallystick.benchmarks.report.Report;
import io.tallystick.benchmarks.report.Results;

/** The title, the machine, and warnings that concern every figure. */
final class HeaderSection implements Section {
    private static final int DATE_CHARACTERS = "2026-01-31".length();

    private final Results results;
    private final Machine machine;

    HeaderSection(Results results) {
        this.results = results;
        this.machine = results.machine();
    }

    @Override
    public void writeTo(PageBody page) {
        page.leaf("h1", title(machine));
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

    /** What was compared, and when. */
    static String title(Machine machine) {
        String date = machine.fact(Machine.DATE);
        return "Transaction logs of Tallystick and Narayana compared"
                + (date.matches("\\d{4}-\\d\\d-\\d\\d.*") ? ", " + date.substring(0, DATE_CHARACTERS) : "");
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
