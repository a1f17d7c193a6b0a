package io.tallystick.durability.scenario;

import io.tallystick.storage.Disk;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import io.tallystick.testkit.schedule.Schedule;
import java.util.List;
import java.util.Random;

/** A simulated disk of which one operation may fail, or which may die. Every operation may be a scheduling point. */
final class ScenarioDisk {
    private static final List<DiskOperation> FAILING = List.of(
            DiskOperation.RENAME,
            DiskOperation.FORCE_DIRECTORY,
            DiskOperation.FORCE_DIRECTORY,
            DiskOperation.FORCE,
            DiskOperation.WRITE);
    private static final int DAMAGES = 8;
    private static final long ROOMY_BYTES = 1L << 40;

    private final SimulatedDisk simulated;
    private final FaultInjectingDisk disk;

    /** An empty disk. */
    ScenarioDisk() {
        this(new SimulatedDisk());
    }

    private ScenarioDisk(SimulatedDisk simulated) {
        this.simulated = simulated;
        this.disk = new FaultInjectingDisk(simulated);
    }

    /** The disk as the store sees it. */
    Disk seen() {
        return disk;
    }

    /** A kind of operation that is worth failing. */
    static DiskOperation failing(Random random) {
        return FAILING.get(random.nextInt(FAILING.size()));
    }

    /** Lets the n-th operation of this kind from now on fail. */
    void failOnce(DiskOperation operation, int number) {
        disk.inject(DiskFault.in(operation).at(number).failingWith(DiskFault.EIO));
    }

    void clearFaults() {
        disk.clearFaults();
    }

    /** Lets the disk die, or one operation fail, or nothing, where so many operations of each kind are expected. */
    void injectFault(Random random, int operationsOfEachKind) {
        switch (random.nextInt(4)) {
            case 0 -> simulated.crashAt(simulated.operations() + 1 + random.nextInt(4 * operationsOfEachKind));
            case 1, 2 -> failOnce(failing(random), 1 + random.nextInt(operationsOfEachKind));
            default -> {
                // no failure in this run
            }
        }
        everyOperationIsAPoint();
    }

    /** Lets threads change at each operation. */
    void everyOperationIsAPoint() {
        for (DiskOperation operation : DiskOperation.values()) {
            disk.inject(DiskFault.in(operation).forEver().preceding(() -> Schedule.point("disk " + operation)));
        }
    }

    /** Lets the disk die at the next operation that changes something. */
    void dieSoon() {
        if (simulated.crashedDuring().isEmpty()) {
            simulated.crashAt(simulated.operations() + 1);
        }
    }

    /** From now on the disk has no free byte. */
    void fillUp() {
        simulated.setCapacity(0);
    }

    /** The disk has room again. */
    void empty() {
        simulated.setCapacity(ROOMY_BYTES);
    }

    /** What a power cut leaves of it now, as a disk on which every operation is a point. */
    ScenarioDisk crashedWithPoints(Random random) {
        ScenarioDisk crashed = new ScenarioDisk(simulated.crash(random.nextInt(DAMAGES)));
        crashed.everyOperationIsAPoint();
        return crashed;
    }

    /** What a power cut leaves of it now. */
    Disk crashed(Random random) {
        return simulated.crash(random.nextInt(DAMAGES));
    }
}
