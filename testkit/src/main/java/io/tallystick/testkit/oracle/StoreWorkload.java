package io.tallystick.testkit.oracle;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.States;
import io.tallystick.testkit.Threads;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The calls of a store in a test that injects failures. A workload goes on after a {@link StoreException}, as the
 * threads of a transaction manager do. Each key is changed by one thread at a time.
 */
@FunctionalInterface
public interface StoreWorkload {
    /** Makes all calls. */
    void run(ObjectStore store);

    /** One thread, random operations on eight keys, a deferred write at the end. The same seed gives the same calls. */
    static StoreWorkload history(long seed, int steps) {
        return store -> {
            Random random = Seeds.random(seed);
            List<StateKey> keys = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                keys.add(keyOf("/History/" + i % 2, i));
            }
            for (int step = 0; step < steps; step++) {
                StateKey key = keys.get(random.nextInt(keys.size()));
                int length = random.nextInt(random.nextInt(4) == 0 ? 3_000 : 700);
                byte[] state = States.random(length, random.nextLong());
                Durability durability = random.nextInt(5) < 2 ? Durability.FORCED : Durability.DEFERRED;
                int kind = random.nextInt(ModelMove.values().length + 6);
                attempt(() -> step(store, kind, key, state, durability));
            }
            attempt(() -> store.write(keys.get(0), States.random(50, seed), Durability.DEFERRED));
        };
    }

    /**
     * The calls of a transaction manager: each thread writes a record, forced, and removes it, deferred. Every seventh
     * record stays in doubt. Between two transactions a thread reads keys of the other threads.
     */
    static StoreWorkload commits(int threads, int transactionsPerThread) {
        return store -> Threads.run(threads, thread -> {
            for (int i = 0; i < transactionsPerThread; i++) {
                StateKey key = keyOf("/Commits", 1_000L * thread + i);
                StateKey other = keyOf("/Commits", 1_000L * ((thread + 1) % threads) + i);
                byte[] state = States.random(600, 1_000L * thread + i);
                attempt(() -> store.write(key, state, Durability.FORCED));
                attempt(() -> store.read(other));
                if (i % 7 != 6) {
                    attempt(() -> store.remove(key, Durability.DEFERRED));
                }
                if (i % 5 == 4) {
                    attempt(() -> store.keys("/Commits"));
                }
            }
        });
    }

    /**
     * One thread, and only operations that every store has: forced writes on four keys, deferred removals, reads. Most
     * writes replace a state. The same seed gives the same calls.
     */
    static StoreWorkload overwrites(long seed, int steps) {
        return store -> {
            Random random = Seeds.random(seed);
            for (int step = 0; step < steps; step++) {
                StateKey key = keyOf("/Overwrites", random.nextInt(4));
                byte[] state = States.random(1 + random.nextInt(1_500), random.nextLong());
                switch (random.nextInt(8)) {
                    case 0 -> attempt(() -> store.remove(key, Durability.DEFERRED));
                    case 1 -> attempt(() -> store.read(key));
                    default -> attempt(() -> store.write(key, state, Durability.FORCED));
                }
            }
        };
    }

    /**
     * One thread: a few records that stay, and many that come and go. So a log must free room, and must copy the
     * records that stay. The same seed gives the same calls.
     */
    static StoreWorkload churn(long seed, int rounds) {
        return store -> {
            Random random = Seeds.random(seed);
            for (int i = 0; i < 5; i++) {
                StateKey stays = keyOf("/Stays", i);
                byte[] state = States.random(300 + random.nextInt(400), random.nextLong());
                attempt(() -> store.write(stays, state, Durability.FORCED));
            }
            for (int round = 0; round < rounds; round++) {
                StateKey goes = keyOf("/Goes", round % 16);
                byte[] state = States.random(4_000 + random.nextInt(3_500), random.nextLong());
                Durability durability = random.nextInt(3) == 0 ? Durability.FORCED : Durability.DEFERRED;
                attempt(() -> store.write(goes, state, durability));
                attempt(() -> store.remove(goes, Durability.DEFERRED));
            }
            attempt(store::force);
        };
    }

    /**
     * One thread writes long states of new keys and removes none, so that a log creates new files while it is open. The
     * store must accept states of at least 8 KiB.
     */
    static StoreWorkload growth(long seed, int keys) {
        return store -> {
            Random random = Seeds.random(seed);
            for (int i = 0; i < keys; i++) {
                StateKey key = keyOf("/Grows", i);
                byte[] state = States.random(6_500 + random.nextInt(1_000), random.nextLong());
                attempt(() -> store.write(key, state, Durability.FORCED));
            }
        };
    }

    /**
     * One thread removes what {@link #churn} and {@link #growth} have left, and then does both. So a log that
     * has many files empties them, and fills them again. The same seed gives the same calls.
     */
    static StoreWorkload refill(long seed, int rounds, int keys) {
        return store -> {
            for (String type : List.of("/Stays", "/Goes", "/Grows")) {
                attempt(() -> {
                    for (StateKey key : store.keys(type)) {
                        store.remove(key, Durability.FORCED);
                    }
                });
            }
            churn(seed, rounds).run(store);
            growth(seed, keys).run(store);
        };
    }

    private static void step(ObjectStore store, int kind, StateKey key, byte[] state, Durability durability) {
        int moves = ModelMove.values().length;
        if (kind < moves) {
            StoreMoves.perform(store, ModelMove.values()[kind], key, state, durability);
        } else if (kind == moves) {
            StoreMoves.perform(store, ModelMove.WRITE, key, state, Durability.FORCED);
        } else if (kind == moves + 1) {
            StoreCall.await(store.writeAsync(key, state));
        } else if (kind == moves + 2) {
            store.force();
        } else if (kind == moves + 3) {
            store.keys(key.type());
        } else if (kind == moves + 4) {
            // the second call finds no state, and still promises that none comes back
            store.remove(key, Durability.DEFERRED);
            store.remove(key, Durability.FORCED);
        } else {
            store.read(key);
            store.readShadow(key);
            store.statusOf(key);
        }
    }

    private static void attempt(Runnable operation) {
        try {
            operation.run();
        } catch (StoreException told) {
            // the oracle has recorded it, and the next operation shows whether it was honest
        }
    }

    private static StateKey keyOf(String type, long number) {
        return StateKey.of(
                type,
                ObjectId.of(ByteBuffer.allocate(Long.BYTES).putLong(number).array()));
    }
}
