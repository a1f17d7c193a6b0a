package io.tallystick.testkit.oracle;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.StoreOpener;
import io.tallystick.testkit.disk.DiskEvent;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import io.tallystick.testkit.disk.WritebackReport;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * Lets every operation on a store's disk fail in turn, in each of several ways. The {@link Oracle} decides whether the
 * store reported the failure honestly.
 *
 * <p>For each way and n = 1, 2, 3 and so on, the store goes through two lives on a {@link SimulatedDisk}. In each life
 * it is opened, given the workload and closed, and the n-th operation of the kind fails. Every exception must be a
 * {@link StoreException}. After the first unknown outcome no call may return. Then the disk crashes and loses all
 * unforced data, or a part, or the process alone is killed and nothing is lost. The part is another one at each fault,
 * and a seed decides it. The states afterwards must be those that were promised. The system property {@code
 * testkit.share=K/N} takes every N-th n alone, as in {@link CrashSweep}.
 */
public final class FaultSweep {
    private static final int LIVES = 2;
    private static final int LIVES_ON_LOST_CHANGES = 3;
    private static final int STALE_READS = 2;
    private static final int CRASHES = 3;
    private static final long DEFAULT_SEED = 7;
    private static final int MAX_SEEDS = 1_000_000;
    private static final Set<DiskOperation> CHANGES_OF_NAMES = EnumSet.of(
            DiskOperation.CREATE_DIRECTORY, DiskOperation.RENAME, DiskOperation.DELETE, DiskOperation.FORCE_DIRECTORY);
    private static final List<Way> WAYS = ways();

    private final StoreOpener opener;
    private final StoreWorkload workload;
    private final Predicate<Way> ways;
    private final long seed;

    private FaultSweep(StoreOpener opener, StoreWorkload workload, Predicate<Way> ways, long seed) {
        this.opener = Objects.requireNonNull(opener);
        this.workload = Objects.requireNonNull(workload);
        this.ways = ways;
        this.seed = seed;
    }

    /** The disk of a store, and the one around it on which operations fail. */
    private record Disks(SimulatedDisk simulated, FaultInjectingDisk failing) {
        /** From now on no name is created by a directory or a rename, deleted, or forced. */
        private void failChangesOfNames() {
            for (DiskOperation operation : CHANGES_OF_NAMES) {
                failing.inject(DiskFault.in(operation).forEver().failingWith(DiskFault.EIO));
            }
        }
    }

    /** A way in which an operation fails. */
    private record Way(
            DiskOperation operation, String name, int lives, BiFunction<Disks, DiskFault, DiskFault> fault) {}

    /** A sweep of all operations. */
    public static FaultSweep of(StoreOpener opener, StoreWorkload workload) {
        return new FaultSweep(opener, workload, way -> true, DEFAULT_SEED);
    }

    /** With other damage in the crashes that keep a part of the unforced data. */
    public FaultSweep withSeed(long other) {
        return new FaultSweep(opener, workload, ways, other);
    }

    /** With faults in these operations only. */
    public FaultSweep only(DiskOperation first, DiskOperation... others) {
        Set<DiskOperation> chosen = EnumSet.of(first, others);
        return new FaultSweep(opener, workload, way -> chosen.contains(way.operation), seed);
    }

    /** With faults in these ways only, as a failure's message names them. */
    FaultSweep onlyWays(String beginningOfTheName) {
        return new FaultSweep(opener, workload, way -> way.name.startsWith(beginningOfTheName), seed);
    }

    /**
     * The result of a sweep.
     *
     * @param faults number of operations that failed
     * @param crashes number of crashes and kills that were recovered
     */
    public record Report(long faults, long crashes) {}

    /**
     * Runs the sweep.
     *
     * @throws AssertionError an invariant is violated; the message names the fault
     */
    public Report run() {
        SweepShare share = SweepShare.asked();
        long faults = 0;
        for (Way way : WAYS) {
            if (ways.test(way)) {
                for (long occurrence = 1 + share.first(); strikes(way, occurrence); occurrence += share.step()) {
                    faults++;
                }
            }
        }
        if (faults == 0) {
            throw new AssertionError("no operation failed; nothing was proved");
        }
        return new Report(faults, faults * CRASHES);
    }

    /** Whether an operation failed. */
    private boolean strikes(Way way, long occurrence) {
        SimulatedDisk simulated = new SimulatedDisk();
        FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
        Oracle oracle = new Oracle();
        disk.inject(way.fault.apply(
                new Disks(simulated, disk), DiskFault.in(way.operation).at(occurrence)));
        String where = "fault " + way.operation + " occurrence=" + occurrence + " " + way.name;
        try {
            for (int life = 1; life <= way.lives || disk.struck() == 0 && life <= LIVES; life++) {
                live(disk, oracle);
            }
            if (disk.struck() == 0) {
                return false;
            }
            recover(simulated.crash(0), oracle.copy());
            recover(simulated.crash(occurrence * MAX_SEEDS + seed), oracle.copy());
            recover(simulated.kill(), oracle.copy());
        } catch (AssertionError | RuntimeException failed) {
            throw new AssertionError(where + ": " + failed.getMessage() + "; operations=" + tail(disk.log()), failed);
        }
        return true;
    }

    private void live(FaultInjectingDisk disk, Oracle oracle) {
        ObjectStore store;
        try {
            store = opener.open(disk, CrashSweep.DIRECTORY);
        } catch (StoreException told) {
            checkStruck(disk, told);
            return;
        }
        try (ObjectStore watched = oracle.watch(store)) {
            checkRecoveredUnlessReadsFail(store, disk, oracle);
            workload.run(watched);
        } catch (StoreException told) {
            checkStruck(disk, told);
        }
    }

    private static void checkRecoveredUnlessReadsFail(ObjectStore store, FaultInjectingDisk disk, Oracle oracle) {
        try {
            oracle.checkRecovered(store);
        } catch (StoreException told) {
            checkStruck(disk, told);
        }
    }

    private static void checkStruck(FaultInjectingDisk disk, StoreException told) {
        if (disk.struck() == 0) {
            throw told;
        }
    }

    /** Sectors are readable again, as on a disk that was put right: the states must be as if nothing had been. */
    private void recover(SimulatedDisk disk, Oracle oracle) {
        disk.healReads();
        try (ObjectStore store = opener.open(disk, CrashSweep.DIRECTORY)) {
            oracle.checkRecovered(store);
            StoreWorkload.history(1, 4).run(oracle.watch(store));
        }
        try (ObjectStore store = opener.open(disk, CrashSweep.DIRECTORY)) {
            oracle.checkRecovered(store);
            oracle.revealAll(oracle.watch(store));
        }
    }

    private static List<DiskEvent> tail(List<DiskEvent> log) {
        return log.subList(Math.max(0, log.size() - 12), log.size());
    }

    private static List<Way> ways() {
        List<Way> ways = new ArrayList<>();
        for (DiskOperation operation : DiskOperation.values()) {
            ways.add(new Way(operation, "EIO", LIVES, (disks, fault) -> fault.failingWith(DiskFault.EIO)));
            ways.add(new Way(operation, "EIO for ever", LIVES, (disks, fault) -> fault.failingWith(DiskFault.EIO)
                    .forEver()));
        }
        for (DiskOperation operation : List.of(
                DiskOperation.OPEN, DiskOperation.WRITE, DiskOperation.CREATE_DIRECTORY, DiskOperation.RENAME)) {
            ways.add(new Way(operation, "ENOSPC", LIVES, (disks, fault) -> fault.failingWith(DiskFault.ENOSPC)));
            ways.add(new Way(operation, "EDQUOT", LIVES, (disks, fault) -> fault.failingWith(DiskFault.EDQUOT)));
        }
        for (DiskOperation operation : List.of(
                DiskOperation.WRITE,
                DiskOperation.FORCE,
                DiskOperation.RENAME,
                DiskOperation.DELETE,
                DiskOperation.FORCE_DIRECTORY)) {
            ways.add(new Way(
                    operation,
                    "EIO after it was done",
                    LIVES,
                    (disks, fault) -> fault.failingAfterwardsWith(DiskFault.EIO)));
        }
        // What a store does about a failure may fail too.
        for (DiskOperation operation : CHANGES_OF_NAMES) {
            ways.add(new Way(
                    operation,
                    "done, and no later change of names",
                    LIVES,
                    (disks, fault) -> fault.following(disks::failChangesOfNames)));
        }
        ways.add(new Way(DiskOperation.WRITE, "short by all but 1 byte", LIVES, (disks, fault) -> fault.taking(1)));
        ways.add(new Way(DiskOperation.WRITE, "always short", LIVES, (disks, fault) -> fault.taking(97)
                .forEver()));
        // A further life reads data that a failed force lost: it stays readable until the crash.
        ways.add(new Way(
                DiskOperation.FORCE,
                "EIO, and the data of this force is lost",
                LIVES_ON_LOST_CHANGES,
                (disks, fault) -> fault.preceding(disks.simulated::failNextForce)));
        // One life: a file system that has lost a name goes on as in the next way.
        ways.add(new Way(
                DiskOperation.FORCE_DIRECTORY,
                "EIO, and the names of this force are lost",
                1,
                (disks, fault) -> fault.preceding(() -> disks.simulated.failNextDirectoryForce(false))));
        // As ext4, XFS and Btrfs do. Later lives see names that the crash takes away.
        ways.add(new Way(
                DiskOperation.FORCE_DIRECTORY,
                "EIO, and its names are lost, with no later change of names until the crash",
                LIVES_ON_LOST_CHANGES,
                (disks, fault) -> fault.preceding(() -> {
                    disks.simulated.failNextDirectoryForce(false);
                    disks.failChangesOfNames();
                })));
        ways.add(new Way(
                DiskOperation.FORCE_DIRECTORY,
                "EIO, and the names of this force are gone at once",
                LIVES_ON_LOST_CHANGES,
                (disks, fault) -> fault.preceding(() -> disks.simulated.failNextDirectoryForce(true))));
        ways.add(new Way(
                DiskOperation.WRITE,
                "the system loses it before a force, shows it until the crash, and tells the first force",
                LIVES_ON_LOST_CHANGES,
                (disks, fault) ->
                        fault.preceding(() -> disks.simulated.failNextWriteback(WritebackReport.FIRST_FORCE, false))));
        ways.add(new Way(
                DiskOperation.WRITE,
                "the system loses it before a force, drops the pages, and tells each descriptor once",
                LIVES,
                (disks, fault) -> fault.preceding(
                        () -> disks.simulated.failNextWriteback(WritebackReport.EACH_DESCRIPTOR, true))));
        ways.add(new Way(
                DiskOperation.READ,
                "its sectors are unreadable until they are written",
                LIVES,
                (disks, fault) -> fault.preceding(disks.simulated::failNextRead)));
        ways.add(new Way(
                DiskOperation.WRITE,
                "buffered reads do not see it for a while, if it is direct",
                LIVES,
                (disks, fault) -> fault.preceding(() -> disks.simulated.delayPageCache(STALE_READS))));
        return List.copyOf(ways);
    }
}
