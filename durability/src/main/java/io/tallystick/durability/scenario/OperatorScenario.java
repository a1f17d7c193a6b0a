package io.tallystick.durability.scenario;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.schedule.Schedule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * What an operator does to a store at work. Callers commit one by one. Where the schedule sees the threads of the
 * stages, there are also chains in which the completion of one write begins the next. Meanwhile the store is told to
 * drain and asked for its health, the disk fills up and gets room again, and an inspector reads the store. Another
 * inspector reads it while it recovers. Each inspection that is possible must find a record whole that nobody changes.
 */
final class OperatorScenario implements LongConsumer {
    private static final Path DIRECTORY = Path.of("/simulated/operated");
    private static final String TYPE = "/Operated";
    private static final int CALLERS = 3;
    private static final int CHAINS = 2;
    private static final int LINKS = 4;
    private static final int KEYS_EACH = 2;
    private static final int ROUNDS = 4;
    private static final int INSPECTIONS = 3;
    private static final StateKey STAYS = key(100);
    private static final byte[] STAYING = {1, 2, 3};

    private final ScenarioDisk disk = new ScenarioDisk();
    private final Oracle oracle = new Oracle();
    private final List<Throwable> ofActions = new ArrayList<>(); // a stage keeps what a dependent action throws
    private final StoreScenario stores;
    private final WaitStrategy waiting;
    private ObjectStore bare;
    private ObjectStore store; // the same, watched

    OperatorScenario(StoreScenario stores, WaitStrategy waiting) {
        this.stores = stores;
        this.waiting = waiting;
    }

    /** Runs the scenario under the schedule of this seed. */
    @Override
    public void accept(long seed) {
        Random random = Seeds.random(seed);
        boolean mayFail = random.nextInt(4) == 0;
        boolean fillsUp = random.nextInt(3) == 0;
        boolean inspects = random.nextBoolean();
        boolean crashesOpen = random.nextBoolean();
        boolean closesEarly = random.nextInt(4) == 0;
        Schedule.run(seed, () -> {
            bare = stores.open(disk.seen(), DIRECTORY, waiting);
            store = oracle.watch(bare);
            store.write(STAYS, STAYING, Durability.FORCED);
            if (mayFail) {
                disk.injectFault(random, stores.operationsOfEachKind());
            } else {
                disk.everyOperationIsAPoint();
            }
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int caller = i;
                start(threads, random, own -> call(caller, own));
            }
            if (stores.seesStages()) {
                for (int i = 0; i < CHAINS; i++) {
                    int chain = CALLERS + i;
                    start(threads, random, own -> link(chain, LINKS, own));
                }
            }
            start(threads, random, this::operate);
            if (fillsUp) {
                start(threads, random, this::fillAndEmpty);
            }
            if (inspects) {
                start(threads, random, own -> inspectAgainAndAgain());
            }
            if (closesEarly) {
                attempt(store::close);
            }
            threads.forEach(Schedule::join);
            if (!crashesOpen && !closesEarly) {
                attempt(store::close);
            }
            recover(random);
            if (crashesOpen && !closesEarly) {
                attempt(store::close);
            }
            checkActions();
        });
    }

    private interface Task {
        void run(Random own);
    }

    private static void start(List<Thread> threads, Random random, Task task) {
        long seed = random.nextLong();
        threads.add(Schedule.start(() -> task.run(Seeds.random(seed))));
    }

    private void call(int caller, Random own) {
        for (int i = 0; i < stores.commitsEach(); i++) {
            StateKey key = key(caller * KEYS_EACH + own.nextInt(KEYS_EACH));
            switch (own.nextInt(4)) {
                case 0 -> attempt(() -> store.remove(key, durability(own)));
                case 1 -> attempt(() -> store.read(key));
                default -> attempt(() -> store.write(key, state(own), durability(own)));
            }
        }
    }

    /** Writes, and writes again when that is on disk, on the thread that completes the stage. */
    private void link(int chain, int links, Random own) {
        attempt(() -> store.writeAsync(key(chain * KEYS_EACH), state(own)).whenComplete((nothing, failure) -> {
            try {
                if (failure == null && links > 1) {
                    link(chain, links - 1, own);
                }
            } catch (Throwable found) {
                ofActions.add(found);
            }
        }));
    }

    private void operate(Random own) {
        for (int i = 0; i < ROUNDS; i++) {
            boolean drains = own.nextBoolean();
            bare.setDraining(drains);
            StoreHealth.State state = bare.health().state();
            if (state == (drains ? StoreHealth.State.OPEN : StoreHealth.State.DRAINING)) {
                throw new AssertionError("the health says " + state + " although draining=" + drains);
            }
        }
    }

    private void fillAndEmpty(Random own) {
        for (int i = own.nextInt(ROUNDS * ROUNDS); i > 0; i--) {
            attempt(() -> store.read(STAYS));
        }
        disk.fillUp();
        for (int i = own.nextInt(ROUNDS * ROUNDS); i > 0; i--) {
            attempt(() -> store.read(STAYS));
        }
        disk.empty();
    }

    private void inspectAgainAndAgain() {
        for (int i = 0; i < INSPECTIONS; i++) {
            inspect(() -> stores.inspect(disk.seen(), DIRECTORY));
        }
    }

    private interface Inspection {
        StoreInspection run();
    }

    private static void inspect(Inspection inspection) {
        StoreInspection found;
        try {
            found = inspection.run();
        } catch (StoreException told) {
            return; // the store is in use, or the disk fails
        }
        if (!found.isHealthy()) {
            throw new AssertionError("I1 durable violated: an inspection calls a sound store damaged: "
                    + found.damages().get(0).describe());
        }
        byte[] value = found.record(STAYS)
                .map(record -> record.image().committed())
                .orElseThrow(() -> new AssertionError("I1 durable violated: an inspection misses " + STAYS));
        if (!Arrays.equals(value, STAYING)) {
            throw new AssertionError("I1 durable violated: an inspection shows another state of " + STAYS);
        }
    }

    private void recover(Random random) {
        disk.empty();
        // A copy, made in one step with the crash: stages of the old store may complete while the new one is checked.
        Oracle judge = oracle.copy();
        ScenarioDisk crashed = disk.crashedWithPoints(random);
        Thread reader = Schedule.start(() -> inspect(() -> stores.inspect(crashed.seen(), DIRECTORY)));
        try (ObjectStore recovered = stores.open(crashed.seen(), DIRECTORY, waiting)) {
            judge.checkRecovered(recovered);
            Schedule.join(reader);
        }
    }

    private void checkActions() {
        if (!ofActions.isEmpty()) {
            throw new AssertionError(ofActions.get(0).getMessage(), ofActions.get(0));
        }
    }

    private static void attempt(Runnable operation) {
        try {
            operation.run();
        } catch (StoreException told) {
            // the oracle has recorded it
        }
    }

    private static Durability durability(Random own) {
        return own.nextInt(3) == 0 ? Durability.DEFERRED : Durability.FORCED;
    }

    private byte[] state(Random own) {
        byte[] state = new byte[stores.stateBytes(own)];
        own.nextBytes(state);
        return state;
    }

    private static StateKey key(int number) {
        return StateKey.of(TYPE, ObjectId.of(new byte[] {(byte) number}));
    }
}
