package io.tallystick.benchmarks.experiments;

import io.tallystick.narayana.NarayanaHealth;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The time of a readiness probe, {@link NarayanaHealth#of}, over a store with no record and with this many records of
 * transactions: of the first probe after the records were written, and of later ones.
 *
 * <p>Arguments: {@code DIRECTORY STORE RECORDS PROBES KEY=VALUE...}.
 */
public final class ProbeCost {
    private static final PrintStream OUT = System.out;
    private static final StateKey ANY = StateKey.of(
            "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction",
            ObjectId.of(ByteBuffer.allocate(4).putInt(0).array()));
    private static final int STATE_BYTES = 100;
    private static final int FIRST_SETTING = 4;
    private static final double P99 = 0.99;
    private static final double NANOS_PER_MILLI = 1e6;

    private ProbeCost() {}

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length < FIRST_SETTING) {
            throw new IllegalArgumentException("usage: DIRECTORY STORE RECORDS PROBES [KEY=VALUE...]");
        }
        List<String> settings = Arrays.asList(arguments).subList(FIRST_SETTING, arguments.length);
        int probes = Integer.parseInt(arguments[3]);
        try (ScratchDirectory scratch = new ScratchDirectory(Path.of(arguments[0]), "probe");
                ObjectStore store = ObjectStores.open(scratch.configuration(arguments[1], settings))) {
            print(store, probes); // warms up
            print(store, probes);
            int records = Integer.parseInt(arguments[2]);
            for (int i = 1; i <= records; i++) {
                byte[] id = ByteBuffer.allocate(4).putInt(i).array();
                store.write(ANY.withId(ObjectId.of(id)), new byte[STATE_BYTES], Durability.DEFERRED);
            }
            store.force();
            print(store, probes);
        }
    }

    private static void print(ObjectStore store, int probes) {
        long[] nanos = new long[probes];
        NarayanaHealth health = null;
        for (int i = 0; i < probes; i++) {
            long begun = System.nanoTime();
            health = NarayanaHealth.of(store);
            nanos[i] = System.nanoTime() - begun;
        }
        double first = nanos[0] / NANOS_PER_MILLI;
        Arrays.sort(nanos);
        OUT.printf(
                Locale.ROOT,
                "inDoubt=%d first=%.2f ms, median=%.2f ms, p99=%.2f ms%n",
                health.inDoubt().orElse(-1),
                first,
                nanos[probes / 2] / NANOS_PER_MILLI,
                nanos[(int) (P99 * (probes - 1))] / NANOS_PER_MILLI);
    }
}
