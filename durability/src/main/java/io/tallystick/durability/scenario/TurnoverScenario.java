package io.tallystick.durability.scenario;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.schedule.Schedule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * States come and go so fast that a journal frees segments and copies what is alive in them, and that a file store
 * writes into the files of removed states. Meanwhile other threads change states that stay, each its own, and others
 * read them. In most runs the disk works until the end, because it takes long until the store's own
 * threads meet the callers. It dies at the end, or late.
 */
final class TurnoverScenario implements LongConsumer {
    private static final Path DIRECTORY = Path.of("/simulated/turnover");
    private static final String TYPE = "/Turnover";
    private static final int OWNERS = 3;
    private static final int ROUNDS = 8;
    private static final int CHANGES_A_ROUND = 5;
    private static final int READERS = 2;
    private static final int READS_EACH = 14;
    private static final int LATE = 6;
    private static final int SMALL = 20;
    private static final int LARGE = 15_000;

    private final ScenarioDisk disk = new ScenarioDisk();
    private final Oracle oracle = new Oracle();
    private final StoreScenario stores;
    private final WaitStrategy waiting;
    private final int keysEach;
    private boolean diesAfterARead;
    private ObjectStore store;

    TurnoverScenario(StoreScenario stores, WaitStrategy waiting) {
        this.stores = stores;
        this.waiting = waiting;
        this.keysEach = stores.keysOfTurnover();
    }

    /** Runs the scenario under the schedule of this seed. */
    @Override
    public void accept(long seed) {
        Random random = Seeds.random(seed);
        boolean mayFail = random.nextInt(4) == 0;
        diesAfterARead = !mayFail && random.nextInt(3) == 0;
        boolean crashesOpen = random.nextBoolean();
        Schedule.run(seed, () -> {
            store = oracle.watch(stores.open(disk.seen(), DIRECTORY, waiting));
            for (int i = 0; i < OWNERS * keysEach; i++) {
                store.write(key(i), state(random, SMALL), Durability.DEFERRED);
            }
            store.force();
            if (mayFail) {
                disk.injectFault(random, LATE * stores.operationsOfEachKind());
            } else {
                disk.everyOperationIsAPoint();
            }
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < OWNERS; i++) {
                int owner = i;
                start(threads, random, own -> turnOver(owner, own));
            }
            for (int i = 0; i < READERS; i++) {
                start(threads, random, this::look);
            }
            threads.forEach(Schedule::join);
            if (!crashesOpen) {
                attempt(store::close);
            }
            try (ObjectStore recovered = stores.open(disk.crashed(random), DIRECTORY, waiting)) {
                oracle.checkRecovered(recovered);
            }
            if (crashesOpen) {
                attempt(store::close);
            }
        });
    }

    private interface Task {
        void run(Random own);
    }

    private static void start(List<Thread> threads, Random random, Task task) {
        long seed = random.nextLong();
        threads.add(Schedule.start(() -> task.run(Seeds.random(seed))));
    }

    /** A large state passes through the store, and then states that stay are changed. */
    private void turnOver(int owner, Random own) {
        StateKey passing = key(OWNERS * keysEach + owner);
        for (int round = 0; round < ROUNDS; round++) {
            attempt(() -> store.write(passing, state(own, LARGE), Durability.FORCED));
            attempt(() -> store.remove(passing, Durability.DEFERRED));
            for (int i = 0; i < CHANGES_A_ROUND; i++) {
                change(key(owner * keysEach + own.nextInt(keysEach)), own);
            }
        }
    }

    private void change(StateKey key, Random own) {
        Durability durability = own.nextInt(4) == 0 ? Durability.FORCED : Durability.DEFERRED;
        switch (own.nextInt(6)) {
            case 0 -> attempt(() -> store.remove(key, durability));
            case 1 -> attempt(() -> store.hide(key));
            case 2 -> attempt(() -> store.reveal(key));
            default -> attempt(() -> store.write(key, state(own, SMALL), durability));
        }
    }

    private void look(Random own) {
        for (int i = 0; i < READS_EACH; i++) {
            StateKey key = key(own.nextInt(OWNERS * (keysEach + 1)));
            switch (own.nextInt(6)) {
                case 0 -> attempt(() -> store.statusOf(key));
                case 1 -> attempt(() -> store.keys(TYPE));
                default -> attempt(() -> store.read(key));
            }
            if (diesAfterARead && own.nextInt(READS_EACH / 2) == 0) {
                disk.dieSoon(); // what was read is on disk
            }
        }
    }

    private static void attempt(Runnable operation) {
        try {
            operation.run();
        } catch (StoreException told) {
            // the oracle has recorded it
        }
    }

    private static byte[] state(Random own, int length) {
        byte[] state = new byte[length];
        own.nextBytes(state);
        return state;
    }

    private static StateKey key(int number) {
        return StateKey.of(TYPE, ObjectId.of(new byte[] {(byte) number}));
    }
}
