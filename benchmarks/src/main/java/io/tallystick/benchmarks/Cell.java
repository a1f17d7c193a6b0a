package io.tallystick.benchmarks;

/** One thing to measure, and the name of what was measured. */
sealed interface Cell {
    /** As progress lines and messages name it. */
    String label();

    /** Threads that call. */
    int threads();

    /** Transactions on one store. */
    record Transactions(String store, Protocol protocol, int threads) implements Cell {
        @Override
        public String label() {
            return store + " " + protocol.label() + " " + Text.counted(threads, "thread");
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
