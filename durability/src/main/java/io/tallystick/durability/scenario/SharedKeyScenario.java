package io.tallystick.durability.scenario;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.spi.WaitStrategy;
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
    // So that these are drawn apart from the calls.
    private static final long DEATHS = 0x5EEDL << 40;
    private static final long ROLES = 0x501EL << 40;

    // Moves whose image has something of the one before.
    private static final List<ModelMove> BUILDING_ON =
            List.of(ModelMove.WRITE_SHADOW, ModelMove.COMMIT_SHADOW, ModelMove.DISCARD_SHADOW);

    private final ScenarioDisk disk = new ScenarioDisk();
    private final StoreScenario stores;
    private final WaitStrategy waiting;
    private Random random;
    private boolean isPlain;
    private boolean hasRoles;
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
        hasRoles = Seeds.random(seed + ROLES).nextInt(3) == 0;
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
                int role = i;
                threads.add(Schedule.start(() -> call(role, MOST_CALLS / callers, Seeds.random(seedOfCaller))));
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

    private void call(int role, int calls, Random own) {
        for (int i = 0; i < calls; i++) {
            if (hasRoles) {
                callInRole(role, own);
            } else if (isPlain) {
                history.callPlain(own, state(own));
            } else {
                history.callAny(own, state(own));
            }
            if (diesAfterACall && own.nextInt(hasRoles ? MOST_CALLERS : MOST_CALLS) == 0) {
                disk.dieSoon(); // what a reader has seen must be on disk
            }
        }
    }

    /** One caller forces new values, another one defers changes on top of them, and the others read. */
    private void callInRole(int role, Random own) {
        boolean reads = role > 1 || role == 1 && own.nextBoolean();
        if (role == 0) {
            history.move(ModelMove.WRITE, state(own), Durability.FORCED);
        } else if (!reads) {
            history.move(BUILDING_ON.get(own.nextInt(BUILDING_ON.size())), state(own), Durability.DEFERRED);
        } else if (own.nextInt(4) > 0) {
            history.read();
        } else {
            history.readShadow();
        }
    }

    /** A state that no other call writes. */
    private byte[] state(Random own) {
        byte[] state = new byte[stores.stateBytes(own)];
        own.nextBytes(state);
        return state;
    }
}
