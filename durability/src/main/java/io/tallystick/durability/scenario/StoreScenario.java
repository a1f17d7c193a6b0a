package io.tallystick.durability.scenario;

import io.tallystick.storage.Disk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.schedule.Schedule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * Callers of a store commit, defer, force and close at the same time. One operation of the disk may fail, or the disk
 * dies. Some schedules have a crowd of callers with few operations each. Some begin with an opening that fails. After a
 * crash the store must hold only states that the {@link Oracle} allows. Every fourth schedule is a {@link
 * SharedKeyScenario}, every fourth of the others a {@link TurnoverScenario}, and
 * every fourth of the rest an {@link OperatorScenario}.
 */
abstract class StoreScenario implements LongConsumer {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final String TYPE = "/Scheduled";
    private static final int CALLERS = 5;
    private static final int CROWD = 12;
    private static final int KEYS_EACH = 2;
    private static final long SHAPES = 0x5EEDL << 40; // so that the shape is drawn apart from the operations
    private static final long SHARED = 0x5EEDL << 48;
    private static final long TURNOVER = 0x5EEDL << 32;
    private static final long OPERATED = 0x5EEDL << 20;
    private static final int READS_BETWEEN = 10;
    // Of one kind, at least: making a directory, its identity and its notes comes before what a store does itself.
    private static final int OPERATIONS_OF_OPENING = 8;
    private static final StateKey STAYS = key(CROWD * KEYS_EACH);

    private final ScenarioDisk disk = new ScenarioDisk();
    private final Oracle oracle = new Oracle();
    private Random random;
    private WaitStrategy waiting;
    private int callers = CALLERS;
    private int commitsEach;
    private ObjectStore store;

    /** Opens the store. A journal's callers wait in this way. */
    abstract ObjectStore open(Disk on, Path directory, WaitStrategy waiting);

    /** The number of transactions of each caller. */
    abstract int commitsEach();

    /** The approximate number of operations of each kind (writes, renames, ...) in a run without a failure. */
    abstract int operationsOfEachKind();

    /** The length of a state, bytes. */
    abstract int stateBytes(Random own);

    /** The number of states that each owner in a {@link TurnoverScenario} keeps. */
    abstract int keysOfTurnover();

    /** Reads the store, as an inspector does. */
    abstract StoreInspection inspect(Disk on, Path directory);

    /** Whether the schedule sees the threads on which the stages of asynchronous writes complete. */
    abstract boolean seesStages();

    /** Runs the scenario under the schedule of this seed. */
    @Override
    public final void accept(long seed) {
        waiting = seed % 2 == 0 ? WaitStrategy.EXPECTED_END : WaitStrategy.SLEEP;
        if (Seeds.random(seed + SHARED).nextInt(4) == 0) {
            new SharedKeyScenario(this, waiting).accept(seed);
            return;
        }
        if (Seeds.random(seed + TURNOVER).nextInt(4) == 0) {
            new TurnoverScenario(this, waiting).accept(seed);
            return;
        }
        if (Seeds.random(seed + OPERATED).nextInt(4) == 0) {
            new OperatorScenario(this, waiting).accept(seed);
            return;
        }
        random = Seeds.random(seed);
        boolean closesEarly = random.nextInt(4) == 0;
        boolean crashesOpen = random.nextBoolean();
        Random shape = Seeds.random(seed + SHAPES);
        commitsEach = commitsEach();
        if (shape.nextInt(4) == 0) {
            callers = CROWD;
            commitsEach = Math.max(1, commitsEach * CALLERS / CROWD);
        }
        int failedOpening = shape.nextInt(4) == 0 ? 1 + shape.nextInt(OPERATIONS_OF_OPENING) : 0;
        Schedule.run(seed, () -> {
            if (failedOpening > 0) {
                failToOpen(ScenarioDisk.failing(shape), failedOpening);
            }
            store = oracle.watch(open(disk.seen(), DIRECTORY, waiting));
            store.write(STAYS, new byte[1], Durability.FORCED);
            disk.injectFault(random, operationsOfEachKind());
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                int caller = i;
                long seedOfCaller = random.nextLong();
                threads.add(Schedule.start(() -> call(caller, Seeds.random(seedOfCaller))));
            }
            long seedOfKeeper = random.nextLong();
            threads.add(Schedule.start(() -> keep(Seeds.random(seedOfKeeper))));
            if (closesEarly) {
                attempt(store::close);
            }
            threads.forEach(Schedule::join);
            if (crashesOpen) {
                recover();
            }
            // Once: a second close does not report the failure of the first.
            if (!closesEarly) {
                attempt(store::close);
            }
            if (!crashesOpen) {
                recover();
            }
        });
    }

    /** An opening that fails must leave nothing that the next opening, in the same process, stumbles over. */
    private void failToOpen(DiskOperation operation, int number) {
        disk.failOnce(operation, number);
        attempt(() -> open(disk.seen(), DIRECTORY, waiting).close());
        disk.clearFaults();
    }

    private void call(int caller, Random own) {
        for (int i = 0; i < commitsEach; i++) {
            StateKey key = key(caller * KEYS_EACH + i % KEYS_EACH);
            byte[] state = new byte[stateBytes(own)];
            own.nextBytes(state);
            Durability durability = own.nextInt(4) == 0 ? Durability.DEFERRED : Durability.FORCED;
            attempt(() -> store.write(key, state, durability));
            switch (own.nextInt(4)) {
                case 0 -> attempt(() -> store.remove(key, Durability.DEFERRED));
                case 1 -> attempt(() -> store.remove(key, Durability.FORCED));
                case 2 -> {
                    attempt(() -> store.remove(key, Durability.DEFERRED));
                    attempt(store::force);
                }
                default -> attempt(() -> store.read(key(own.nextInt(callers * KEYS_EACH))));
            }
        }
    }

    /** Changes the record that exists from the beginning and that the housekeeper may move at any time. */
    private void keep(Random own) {
        for (int i = 0; i < commitsEach / 2; i++) {
            for (int reads = own.nextInt(READS_BETWEEN); reads > 0; reads--) {
                attempt(() -> store.read(STAYS));
            }
            byte[] state = {(byte) i};
            attempt(() -> store.write(STAYS, state, own.nextBoolean() ? Durability.DEFERRED : Durability.FORCED));
        }
    }

    private void recover() {
        try (ObjectStore recovered = open(disk.crashed(random), DIRECTORY, waiting)) {
            oracle.checkRecovered(recovered);
        }
    }

    private static void attempt(Runnable operation) {
        try {
            operation.run();
        } catch (StoreException told) {
            // the oracle has recorded it
        }
    }

    private static StateKey key(int number) {
        return StateKey.of(TYPE, ObjectId.of(new byte[] {(byte) number}));
    }
}
