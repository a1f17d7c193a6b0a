package io.tallystick.benchmarks.measure;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;

/** One combination to measure; it also names the figures of the combination. */
public sealed interface Cell {
    /** The name in progress lines and messages. */
    String label();

    /** The number of calling threads. */
    int threads();

    /** The figure as a progress line shows it. */
    default String outcome(double score) {
        return Text.whole(score) + "/s";
    }

    /** Transactions on one store. */
    record Transactions(String store, Protocol protocol, int threads) implements Cell {
        @Override
        public String label() {
            return store + " " + protocol.label() + " " + Text.counted(threads, "thread");
        }
    }

    /** Transactions that change a row in each of two databases, on one store. */
    record Work(String store, int threads) implements Cell {
        @Override
        public String label() {
            return store + " with work " + Text.counted(threads, "thread");
        }
    }

    /**
     * The opening of a store after its process was halted, and the reading of its records; in milliseconds, so less is
     * better.
     */
    record Recovery(String store) implements Cell {
        @Override
        public String label() {
            return store + " recovery";
        }

        @Override
        public int threads() {
            return 1;
        }

        @Override
        public String outcome(double score) {
            return Text.micros(score * 1_000);
        }
    }

    /** Durable writes to the directory. */
    record DiskWrites(String device, int threads) implements Cell {
        @Override
        public String label() {
            return "disk " + device + " " + Text.counted(threads, "writer");
        }
    }
}
