package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.measure.Machine;

/** The machine and the command of the run. */
final class MachineSection implements Section {
    private final Machine machine;

    MachineSection(Machine machine) {
        this.machine = machine;
    }

    @Override
    public void writeTo(PageBody page) {
        page.heading("Machine and command");
        page.open("dl");
        fact(page, "command", machine.fact(Machine.COMMAND));
        fact(page, "date", machine.fact(Machine.DATE));
        factIfKnown(page, "resumed", Machine.RESUMED);
        fact(page, "cores", machine.fact(Machine.CORES) + ", " + machine.fact(Machine.CPU));
        fact(page, "memory", machine.fact(Machine.MEMORY));
        fact(page, "kernel", machine.fact(Machine.SYSTEM));
        fact(page, "JVM", machine.fact(Machine.JVM));
        fact(page, "directory", machine.fact(Machine.DIRECTORY));
        fact(page, "file system", machine.fact(Machine.FILE_SYSTEM) + " on " + machine.fact(Machine.MOUNT_DEVICE));
        fact(page, "mount", machine.fact(Machine.MOUNT));
        fact(page, "write cache", machine.fact(Machine.WRITE_CACHE));
        factIfKnown(page, "slow disk", Machine.THROTTLED);
        factIfKnown(page, "as in 2011", Machine.CALIBRATED);
        fact(page, "others' CPU before the run", machine.fact(Machine.OTHERS));
        page.close().line();
    }

    private void factIfKnown(PageBody page, String name, String fact) {
        if (machine.facts().containsKey(fact)) {
            fact(page, name, machine.fact(fact));
        }
    }

    private void fact(PageBody page, String name, String value) {
        page.leaf("dt", name).leaf("dd", value);
    }
}
