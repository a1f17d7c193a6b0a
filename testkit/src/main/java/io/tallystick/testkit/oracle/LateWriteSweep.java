package io.tallystick.testkit.oracle;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.StoreOpener;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.LateWrite;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Lets writes of a store hang, be given up, and land later: before the store is closed, after a second opening was
 * refused, or never. The process that gave the write up must not open the store again, because the write could meet the
 * bytes of the next opening. Another process must find the promised states, after a kill and after each crash.
 *
 * <p>A directory in which a write was given up belongs to the process until it ends. So each late write has a directory
 * of its own. The opener must open the store that it is told, and each late write costs the process a little memory for
 * good.
 */
public final class LateWriteSweep {
    private static final int LIVES = 2;
    private static final int EPILOGUE_STEPS = 4;
    private static final long[] CRASH_SEEDS = {0, 7};
    private static final Path PARENT = Path.of("/simulated");

    private final StoreOpener opener;
    private final StoreWorkload workload;
    private final int count;
    private final long seed;
    private final Supplier<LateWrite> lateWrites;

    private LateWriteSweep(
            StoreOpener opener, StoreWorkload workload, int count, long seed, Supplier<LateWrite> lateWrites) {
        this.opener = Objects.requireNonNull(opener);
        this.workload = Objects.requireNonNull(workload);
        this.count = count;
        this.seed = seed;
        this.lateWrites = lateWrites;
    }

    /** The moment at which the write lands. */
    private enum Landing {
        BEFORE_CLOSE,
        AFTER_CLOSE,
        NEVER
    }

    /** A sweep over this many writes of the workload, which the seed chooses. */
    public static LateWriteSweep of(StoreOpener opener, StoreWorkload workload, int count, long seed) {
        return new LateWriteSweep(opener, workload, count, seed, LateWrite::noted);
    }

    /** With other late writes, such as those that a device forgets to note. */
    public LateWriteSweep with(Supplier<LateWrite> others) {
        return new LateWriteSweep(opener, workload, count, seed, Objects.requireNonNull(others));
    }

    /**
     * The result of a sweep.
     *
     * @param lateWrites number of writes that were given up
     * @param crashes number of crashes and kills that were recovered
     */
    public record Report(long lateWrites, long crashes) {}

    /**
     * Runs the sweep.
     *
     * @throws AssertionError an invariant is violated; the message names the write
     */
    public Report run() {
        Random random = Seeds.random(seed);
        int writes = Math.toIntExact(writesOfSoundLives());
        long given = 0;
        for (int i = 0; i < count; i++) {
            long occurrence = 1 + random.nextInt(writes);
            for (Landing landing : Landing.values()) {
                String where = "late write occurrence=" + occurrence + " of " + writes + " landing=" + landing;
                try {
                    given += isGivenUp(occurrence, landing) ? 1 : 0;
                } catch (AssertionError | RuntimeException | IOException failed) {
                    throw new AssertionError(where + ": " + failed.getMessage(), failed);
                }
            }
        }
        if (given == 0) {
            throw new AssertionError("no write was given up; nothing was proved");
        }
        return new Report(given, given * (CRASH_SEEDS.length + 1));
    }

    private long writesOfSoundLives() {
        FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
        for (int life = 1; life <= LIVES; life++) {
            try (ObjectStore store = opener.open(disk, CrashSweep.DIRECTORY)) {
                workload.run(store);
            }
        }
        return disk.count(DiskOperation.WRITE);
    }

    /** False if threads wrote less than before, so that the write never came. */
    private boolean isGivenUp(long occurrence, Landing landing) throws IOException {
        SimulatedDisk simulated = new SimulatedDisk();
        FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
        Oracle oracle = new Oracle();
        LateWrite late = lateWrites.get();
        Path directory = PARENT.resolve("late-" + UUID.randomUUID());
        disk.inject(DiskFault.in(DiskOperation.WRITE).at(occurrence).givenUpAs(late));
        for (int life = 1; life <= LIVES && late.file().isEmpty(); life++) {
            live(disk, directory, oracle, late, landing);
        }
        if (late.file().isEmpty()) {
            return false;
        }
        checkIsRefused(disk, directory, late);
        if (landing != Landing.NEVER) {
            late.land();
        }
        for (long crashSeed : CRASH_SEEDS) {
            recover(simulated.crash(crashSeed), directory, oracle.copy());
        }
        recover(simulated.kill(), directory, oracle);
        return true;
    }

    private void live(FaultInjectingDisk disk, Path directory, Oracle oracle, LateWrite late, Landing landing)
            throws IOException {
        ObjectStore store;
        try {
            store = opener.open(disk, directory);
        } catch (StoreException told) {
            checkStruck(disk, told);
            return;
        }
        try (ObjectStore watched = oracle.watch(store)) {
            oracle.checkRecovered(store);
            workload.run(watched);
            if (landing == Landing.BEFORE_CLOSE) {
                late.land();
            }
        } catch (StoreException told) {
            checkStruck(disk, told);
        }
    }

    private static void checkStruck(FaultInjectingDisk disk, StoreException told) {
        if (disk.struck() == 0) {
            throw told;
        }
    }

    private void checkIsRefused(FaultInjectingDisk disk, Path directory, LateWrite late) {
        ObjectStore opened;
        try {
            opened = opener.open(disk, directory);
        } catch (StoreLockedException refused) {
            return;
        }
        opened.close();
        throw new AssertionError("I11 one owner violated: the process opens the store again, although a write to file="
                + late.file().orElseThrow() + " was given up and may land in what it writes now");
    }

    /** Another process finds the store. The table of given-up writes is that of this process, so the store moves. */
    private void recover(SimulatedDisk disk, Path directory, Oracle oracle) throws IOException {
        Path found = directory.resolveSibling(directory.getFileName() + "-next");
        if (disk.kindOf(directory) == SimulatedDisk.PathKind.DIRECTORY) {
            disk.rename(directory, found);
        }
        try (ObjectStore store = opener.open(disk, found)) {
            oracle.checkRecovered(store);
            StoreWorkload.history(1, EPILOGUE_STEPS).run(oracle.watch(store));
        }
        try (ObjectStore store = opener.open(disk, found)) {
            oracle.checkRecovered(store);
            oracle.revealAll(oracle.watch(store));
        }
    }
}
