package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Random histories of one thread without failures, compared with a model; the store is closed and opened again in
 * between. Every answer and every read must match the oracle exactly. A failing history is cut to the shortest
 * beginning that still fails.
 */
public final class ModelStage implements Stage {
    private static final String HISTORIES = "histories";
    private static final int STEPS = 16;
    private static final int MAX_LIVES = 3;

    @Override
    public String name() {
        return "model";
    }

    @Override
    public String description() {
        return "random histories against a map, with the store opened again in between";
    }

    @Override
    public String unit() {
        return HISTORIES;
    }

    @Override
    public long quickCount() {
        return 10_000;
    }

    @Override
    public long fullCount() {
        return 1_000_000;
    }

    /** A history on a real disk takes as long as fifty on a simulated disk, or a thousand in memory. */
    @Override
    public int weight(Subject subject) {
        if (!subject.is(Trait.DURABLE)) {
            return 1_000;
        }
        return subject.is(Trait.ANY_DISK) ? 50 : 1;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return Optional.empty();
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        ScratchStore scratchStore = ScratchStore.of(subject, scratch);
        return seed -> {
            try {
                history(subject, scratchStore, seed, STEPS);
            } catch (AssertionError | RuntimeException failed) {
                throw shortest(subject, scratchStore, seed, failed);
            }
            return Counts.of(HISTORIES, 1);
        };
    }

    private static void history(Subject subject, ScratchStore scratchStore, long seed, int steps) throws IOException {
        scratchStore.replace(Map.of());
        Oracle oracle = new Oracle();
        // A store that is not durable has one life.
        int lives = subject.is(Trait.DURABLE) ? 1 + (int) Math.floorMod(seed, (long) MAX_LIVES) : 1;
        for (int life = 0; life < lives; life++) {
            try (ObjectStore watched = oracle.watch(scratchStore.open())) {
                oracle.checkRecovered(watched);
                workload(subject, seed * MAX_LIVES + life, steps).run(watched);
                oracle.revealAll(watched);
            }
        }
        if (subject.is(Trait.DURABLE)) {
            try (ObjectStore store = scratchStore.open()) {
                oracle.checkRecovered(store);
            }
        }
    }

    private static StoreWorkload workload(Subject subject, long seed, int steps) {
        return subject.is(Trait.WHOLE_CONTRACT)
                ? StoreWorkload.history(seed, steps)
                : StoreWorkload.overwrites(seed, steps);
    }

    private static AssertionError shortest(Subject subject, ScratchStore scratchStore, long seed, Throwable first)
            throws IOException {
        for (int steps = 0; steps < STEPS; steps++) {
            try {
                history(subject, scratchStore, seed, steps);
            } catch (AssertionError | RuntimeException failed) {
                return new AssertionError("history of " + steps + " steps a life: " + failed.getMessage(), failed);
            }
        }
        return new AssertionError("history of " + STEPS + " steps a life: " + first.getMessage(), first);
    }
}
