package io.tallystick.durability.scenario;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.commit.WaitStrategy;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.oracle.ModelMove;
import io.tallystick.testkit.oracle.MoveHistory;
import io.tallystick.testkit.schedule.Schedule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * Threads that change and read one key at the same time, forced and deferred. An operation of the disk may fail, or the
 * disk dies. There must be one order of all calls that explains every answer, and what a crash leaves: see {@link
 * MoveHistory}. A transaction manager changes each key from one thread at a time, but its recovery and its operators do
 * not ask for permission.
 */
final class SharedKeyScenario implements LongConsumer {
    private static final Path DIRECTORY = Path.of("/simulated/shared");
    private static final StateKey KEY = StateKey.of("/Shared", ObjectId.of(new byte[] {1}));
    private static final int MOST_CALLERS = 4;
    private static final int MOST_CALLS = 16;
    private static final long DEATHS = 0x5EEDL << 40; // so that it is drawn apart from the calls

    private final ScenarioDisk disk = new ScenarioDisk();
    private final StoreScenario stores;
    private final WaitStrategy waiting;
    private Random random;
    private boolean isPlain;
    private boolean diesAfterACall;
    private ObjectStore store;
    private MoveHistory history;

    SharedKeyScenario(StoreScenario stores, WaitStrategy waiting) {
        this.stores = stores;
        this.waiting = waiting;
    }

    /** Runs the scenario under the schedule of this seed. */
    @Override
    public void accept(long seed) {
        random = Seeds.random(seed);
        int callers = 2 + random.nextInt(MOST_CALLERS - 1);
        isPlain = random.nextBoolean();
        boolean closesEarly = random.nextInt(4) == 0;
        boolean crashesOpen = random.nextBoolean();
        diesAfterACall = Seeds.random(seed + DEATHS).nextBoolean();
        Schedule.run(seed, () -> {
            store = stores.open(disk.seen(), DIRECTORY, waiting);
            history = new MoveHistory(store, KEY);
            if (random.nextBoolean()) {
                history.move(ModelMove.WRITE, state(random), Durability.FORCED);
            }
            disk.injectFault(random, callers * MOST_CALLS / MOST_CALLERS);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                long seedOfCaller = random.nextLong();
                threads.add(Schedule.start(() -> call(MOST_CALLS / callers, Seeds.random(seedOfCaller))));
            }
            if (closesEarly) {
                history.close();
            }
            threads.forEach(Schedule::join);
            if (!crashesOpen && !closesEarly) {
                history.close();
            }
            try (ObjectStore recovered = stores.open(disk.crashed(random), DIRECTORY, waiting)) {
                history.checkRecovered(recovered);
            }
            if (crashesOpen && !closesEarly) {
                history.close();
            }
        });
    }

    private void call(int calls, Random own) {
        for (int i = 0; i < calls; i++) {
            if (isPlain) {
                history.callPlain(own, state(own));
            } else {
                history.callAny(own, state(own));
            }
            if (diesAfterACall && own.nextInt(MOST_CALLS) == 0) {
                disk.dieSoon(); // what a reader has seen must be on disk
            }
        }
    }

    /** A state that no other call writes. */
    private byte[] state(Random own) {
        byte[] state = new byte[stores.stateBytes(own)];
        own.nextBytes(state);
        return state;
    }
}
