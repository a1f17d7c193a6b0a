package io.tallystick.testkit.oracle;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.StoreOpener;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;

/**
 * Crashes a store at every operation on its disk, with several kinds of damage each. It opens the damaged store and
 * asks the {@link Oracle}. Then it crashes the recovery as well, and up to four openings that follow it.
 *
 * <p>For n = 1, 2, 3 and so on, a new {@link SimulatedDisk} will die during its n-th operation. On it the store goes
 * through some lives, each opened, given the workload and closed, until the disk dies. From the dead disk each seed
 * makes a damaged one. One more disk is left as after a kill of the process. On each of them the store must open, hold
 * only states that the oracle allows, take new writes, close, and open again. The sweep ends with the first n at which
 * the disk does not die.
 *
 * <p>With a store and a workload of one thread, the figures in a failure's message repeat it. {@link #onlyOperation}
 * and {@link #onlySeed} repeat it alone. A build without time for all operations sets the system property {@code
 * testkit.share=K/N}: it takes every N-th, counted from the K-th, which counts from 0.
 */
public final class CrashSweep {
    static final Path DIRECTORY = Path.of("/simulated/store");

    private static final int DEFAULT_SEEDS = 12;
    private static final int DEFAULT_NESTED = 2;
    private static final int DEFAULT_LIVES = 2;
    private static final int EPILOGUE_STEPS = 8;
    private static final int MAX_SEEDS = 1_000_000;
    private static final int MOST_IN_A_ROW = 5;
    private static final int OPERATIONS_IN_SERVICE = 12;
    private static final int STEPS_ON_A_FULL_DISK = 3;
    private static final long PLENTY = 1L << 40;

    private final StoreOpener opener;
    private final StoreWorkload workload;
    private final StoreWorkload afterKill;
    private final int lives;
    private final long firstSeed;
    private final int seeds;
    private final int nested;
    private final long firstOperation;
    private final long lastOperation;
    private final boolean onFullDisks;

    private long crashes;
    private long nestedCrashes;

    private CrashSweep(
            StoreOpener opener,
            StoreWorkload workload,
            StoreWorkload afterKill,
            int lives,
            long firstSeed,
            int seeds,
            int nested,
            long firstOperation,
            long lastOperation,
            boolean onFullDisks) {
        this.opener = Objects.requireNonNull(opener);
        this.workload = Objects.requireNonNull(workload);
        this.afterKill = Objects.requireNonNull(afterKill);
        this.lives = lives;
        this.firstSeed = firstSeed;
        this.seeds = seeds;
        this.nested = nested;
        this.firstOperation = firstOperation;
        this.lastOperation = lastOperation;
        this.onFullDisks = onFullDisks;
    }

    /** A sweep of two lives, with twelve seeds at each operation and two crashes of each recovery. */
    public static CrashSweep of(StoreOpener opener, StoreWorkload workload) {
        StoreWorkload afterKill = StoreWorkload.history(0, EPILOGUE_STEPS);
        return new CrashSweep(
                opener, workload, afterKill, DEFAULT_LIVES, 0, DEFAULT_SEEDS, DEFAULT_NESTED, 1, Long.MAX_VALUE, false);
    }

    /**
     * With this workload between a kill of the process and the crash that follows, at every second operation; by
     * default a short history.
     */
    public CrashSweep withWorkloadAfterKill(StoreWorkload other) {
        return new CrashSweep(
                opener, workload, other, lives, firstSeed, seeds, nested, firstOperation, lastOperation, onFullDisks);
    }

    /** With this many lives. */
    public CrashSweep withLives(int count) {
        return new CrashSweep(
                opener,
                workload,
                afterKill,
                count,
                firstSeed,
                seeds,
                nested,
                firstOperation,
                lastOperation,
                onFullDisks);
    }

    /** With this many seeds of {@link SimulatedDisk#crash} at each operation, counted from 0. */
    public CrashSweep withSeeds(int count) {
        return new CrashSweep(
                opener, workload, afterKill, lives, 0, count, nested, firstOperation, lastOperation, onFullDisks);
    }

    /** With this many rows of crashes, each at a random operation, of each recovery and those that follow it. */
    public CrashSweep withNested(int count) {
        return new CrashSweep(
                opener,
                workload,
                afterKill,
                lives,
                firstSeed,
                seeds,
                count,
                firstOperation,
                lastOperation,
                onFullDisks);
    }

    /** At this operation only, to repeat a failure. */
    public CrashSweep onlyOperation(long operation) {
        return new CrashSweep(
                opener, workload, afterKill, lives, firstSeed, seeds, nested, operation, operation, onFullDisks);
    }

    /** With this seed only, to repeat a failure. */
    public CrashSweep onlySeed(long seed) {
        return new CrashSweep(
                opener, workload, afterKill, lives, seed, 1, nested, firstOperation, lastOperation, onFullDisks);
    }

    /**
     * With as many rows of crashed openings on a disk that stays full. The store must open there and hold what it held,
     * wherever it does so before the first of them.
     */
    public CrashSweep withFullDisks() {
        return new CrashSweep(
                opener, workload, afterKill, lives, firstSeed, seeds, nested, firstOperation, lastOperation, true);
    }

    /**
     * The result of a sweep.
     *
     * @param operations number of the workload's operations at which the sweep crashed
     * @param crashes number of damaged disks that were recovered
     * @param nestedCrashes number of rows of recoveries that were crashed themselves
     */
    public record Report(long operations, long crashes, long nestedCrashes) {}

    /**
     * Runs the sweep.
     *
     * @throws AssertionError an invariant is violated, or the store does not open after a crash; the message names the
     *     operation and the seed
     */
    public synchronized Report run() {
        crashes = 0;
        nestedCrashes = 0;
        boolean isOnlyOne = firstOperation == lastOperation;
        SweepShare share = isOnlyOne ? new SweepShare(0, 1) : SweepShare.asked();
        long operations = 0;
        long operation = firstOperation + share.first();
        while (operation <= lastOperation && crashAt(operation)) {
            operations++;
            operation += share.step();
        }
        if (crashes == 0) {
            throw new AssertionError("the workload never reached operation=" + operation + "; nothing was proved");
        }
        return new Report(operations, crashes, nestedCrashes);
    }

    /** Whether the disk died. */
    private boolean crashAt(long operation) {
        SimulatedDisk disk = new SimulatedDisk();
        Oracle oracle = new Oracle();
        disk.crashAt(operation);
        String where = "crash at operation=" + operation;
        for (int life = 1; life <= lives && disk.crashedDuring().isEmpty(); life++) {
            try {
                live(disk, oracle);
            } catch (AssertionError | RuntimeException failed) {
                throw failure(where + " life=" + life, failed);
            }
        }
        if (disk.crashedDuring().isEmpty()) {
            return false;
        }
        for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
            String seedWhere = where + " (" + disk.crashedDuring().get() + ") seed=" + seed;
            recoverInAllWays(disk, diskSeed(operation, seed), oracle, seedWhere);
        }
        recoverAfterKill(
                disk, oracle, operation, where + " (" + disk.crashedDuring().get() + "), kill instead of crash");
        return true;
    }

    /** The extreme seeds as they are; for the others, a different seed at each operation. */
    private static long diskSeed(long operation, long seed) {
        return seed < SimulatedDisk.EXTREME_SEEDS ? seed : operation * MAX_SEEDS + seed;
    }

    private void live(SimulatedDisk disk, Oracle oracle) {
        ObjectStore store;
        try {
            store = opener.open(disk, DIRECTORY);
        } catch (StoreException died) {
            checkDead(disk, died);
            return;
        }
        try (ObjectStore watched = oracle.watch(store)) {
            if (disk.crashedDuring().isEmpty()) {
                oracle.checkRecovered(store);
            }
            workload.run(watched);
        } catch (StoreException died) {
            checkDead(disk, died);
        }
    }

    private static void checkDead(SimulatedDisk disk, StoreException died) {
        if (disk.crashedDuring().isEmpty()) {
            throw died;
        }
    }

    private void recoverInAllWays(SimulatedDisk disk, long damage, Oracle oracle, String where) {
        long recoveryOperations;
        try {
            recoveryOperations = recover(disk.crash(damage), oracle.copy(), damage);
            crashes++;
        } catch (AssertionError | RuntimeException failed) {
            throw failure(where, failed);
        }
        for (int i = 0; i < nested && recoveryOperations > 0; i++) {
            StringBuilder row = new StringBuilder(where).append(" and crashes of the openings at operation");
            try {
                Random random = Seeds.random(damage + i);
                SimulatedDisk last = crashInARow(disk.crash(damage), recoveryOperations, random, row);
                recover(last, oracle.copy(), damage);
                nestedCrashes++;
                if (onFullDisks) {
                    row.setLength(where.length());
                    recoverOnAFullDisk(disk.crash(damage), oracle, recoveryOperations, random, row);
                }
            } catch (AssertionError | RuntimeException failed) {
                throw failure(row.toString(), failed);
            }
        }
    }

    /** Crashes from one to five openings, one after the other, and answers the disk that they leave. */
    private SimulatedDisk crashInARow(SimulatedDisk first, long recoveryOperations, Random random, StringBuilder row) {
        SimulatedDisk disk = first;
        for (int left = 1 + random.nextInt(MOST_IN_A_ROW); left > 0; left--) {
            long operation = 1 + random.nextInt(Math.toIntExact(recoveryOperations));
            disk.crashAt(operation);
            row.append(' ').append(operation);
            openAndDie(disk);
            disk = disk.crash(random.nextInt(MAX_SEEDS));
        }
        return disk;
    }

    /**
     * Kills some lives in a row on a disk that stays full. Each works a little, because a store that only opens may
     * need no room. Half of them end at the opening, the others soon after it.
     */
    private void recoverOnAFullDisk(
            SimulatedDisk found, Oracle before, long recoveryOperations, Random random, StringBuilder row) {
        Oracle oracle = before.copy();
        long capacity;
        try {
            opener.open(found, DIRECTORY).close();
            found.setCapacity(PLENTY);
            capacity = PLENTY - found.usableSpace(DIRECTORY);
            found.setCapacity(capacity);
            opener.open(found, DIRECTORY).close();
        } catch (StoreException | IOException refused) {
            return; // it is no store that opens there
        }
        row.append(" and kills on a full disk at operation");
        SimulatedDisk disk = killed(found, capacity);
        for (int left = 1 + random.nextInt(MOST_IN_A_ROW); left > 0; left--) {
            long operation = random.nextBoolean()
                    ? 1 + random.nextInt(Math.toIntExact(recoveryOperations))
                    : recoveryOperations + random.nextInt(OPERATIONS_IN_SERVICE);
            disk.crashAt(operation);
            row.append(' ').append(operation);
            workOnAFullDisk(disk, oracle, random.nextInt());
            disk = killed(disk, capacity);
        }
        try (ObjectStore store = opener.open(disk, DIRECTORY)) {
            oracle.checkRecovered(store);
        }
        disk.setCapacity(PLENTY);
        recover(disk, oracle, recoveryOperations);
    }

    private static SimulatedDisk killed(SimulatedDisk disk, long capacity) {
        SimulatedDisk next = disk.kill();
        next.setCapacity(capacity);
        return next;
    }

    private void workOnAFullDisk(SimulatedDisk disk, Oracle oracle, long seed) {
        ObjectStore store;
        try {
            store = opener.open(disk, DIRECTORY);
        } catch (StoreException died) {
            checkDead(disk, died);
            return;
        }
        try (ObjectStore watched = oracle.watch(store)) {
            oracle.checkRecovered(store);
            StoreWorkload.history(seed, STEPS_ON_A_FULL_DISK).run(watched);
        } catch (StoreFullException full) {
            // nothing was written
        } catch (StoreException died) {
            checkDead(disk, died);
        }
    }

    /** After a kill, a store's readable states and its new writes must survive a crash that follows. */
    private void recoverAfterKill(SimulatedDisk disk, Oracle oracle, long operation, String where) {
        try {
            SimulatedDisk killed = disk.kill();
            // Not closed before the crash: closing may force.
            ObjectStore store = opener.open(killed, DIRECTORY);
            oracle.checkRecovered(store);
            if (operation % 2 == 0) {
                afterKill.run(oracle.watch(store));
            }
            SimulatedDisk crashed = killed.crash(0);
            closeDead(store);
            recover(crashed, oracle, 0);
            crashes++;
        } catch (AssertionError | RuntimeException failed) {
            throw failure(where, failed);
        }
    }

    private static void closeDead(ObjectStore store) {
        try {
            store.close();
        } catch (StoreException died) {
            // as it should: its disk is gone
        }
    }

    /**
     * Opens and checks the store, works on it, opens it again and checks it again. Answers the number of disk
     * operations of the first opening.
     */
    private long recover(SimulatedDisk disk, Oracle oracle, long seed) {
        long operations;
        ObjectStore store = opener.open(disk, DIRECTORY);
        try (ObjectStore watched = oracle.watch(store)) {
            operations = disk.operations();
            oracle.checkRecovered(store);
            StoreWorkload.history(seed, EPILOGUE_STEPS).run(watched);
        }
        try (ObjectStore reopened = opener.open(disk, DIRECTORY)) {
            oracle.checkRecovered(reopened);
            oracle.revealAll(oracle.watch(reopened));
        }
        return operations;
    }

    private void openAndDie(SimulatedDisk disk) {
        try {
            opener.open(disk, DIRECTORY).close();
        } catch (StoreException died) {
            checkDead(disk, died);
        }
    }

    private static AssertionError failure(String where, Throwable failed) {
        return new AssertionError(where + ": " + failed.getMessage(), failed);
    }
}
