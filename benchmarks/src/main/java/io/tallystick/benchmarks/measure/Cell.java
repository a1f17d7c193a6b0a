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

    /**
     * Two-phase commits on a store in a database.
     *
     * @param store name of the store
     * @param threads callers
     * @param addedMillis added to each round trip, milliseconds
     */
    record InDatabase(String store, int threads, int addedMillis) implements Cell {
        @Override
        public String label() {
            return store + " " + Text.counted(threads, "thread") + added(addedMillis);
        }
    }

    /**
     * The statement of our store in a database, by PostgreSQL's own load generator, without our store.
     *
     * @param store the store whose servers they are
     * @param bytes of the batch
     * @param clients connections
     */
    record Statements(String store, int bytes, int clients) implements Cell {
        @Override
        public String label() {
            return "pgbench " + store + " " + Text.whole(bytes) + " bytes " + Text.counted(clients, "client");
        }

        @Override
        public int threads() {
            return clients;
        }
    }

    /**
     * The opening of a store in a database after its process was halted, and the reading of its records; in
     * milliseconds, so less is better.
     */
    record Takeover(String store) implements Cell {
        @Override
        public String label() {
            return store + " takeover";
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

    private static String added(int millis) {
        return millis == 0 ? "" : " +" + millis + " ms";
    }

    /** Durable writes to the directory. */
    record DiskWrites(String device, int threads) implements Cell {
        @Override
        public String label() {
            return "disk " + device + " " + Text.counted(threads, "writer");
        }
    }
}
