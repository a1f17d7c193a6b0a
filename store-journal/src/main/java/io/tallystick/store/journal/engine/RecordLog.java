package io.tallystick.store.journal.engine;

import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.util.List;

/**
 * What an engine is: the place where batches of records go, one durable write a batch. {@link GroupCommit} decides who
 * writes when; an engine decides where the bytes go and how they are found again.
 */
public interface RecordLog {
    /** Called once, when the store is ready to append: the engine may start its housekeeping. */
    default void start(Rewriter rewriter) {
        // most engines keep house elsewhere
    }

    /** How many batches may be written at the same time, at least 1. */
    int writesInFlight();

    /**
     * Reserves room for a record, before it is queued. A removal frees room, so it may use the reserve; what is carried to
     * another place never waits for room.
     *
     * @throws io.tallystick.store.StoreFullException there is none; nothing was written
     */
    void reserve(Append append);

    /** Gives back what {@link #reserve} took; the record was not queued after all. */
    void refund(Append append);

    /**
     * Gives places to the first appends of the chain, as many as go into one write, in the order of the chain. Called
     * under the layout lock: the order of calls is the order of the log. Does no I/O of its own on the way, except that it
     * may wait for room that {@link #reserve} has promised.
     *
     * @param first the chain, linked by {@link Append#next}
     */
    Batch layOut(Append first) throws IOException;

    /**
     * Writes a batch; when it returns, the batch is on disk. Called without locks, by at most {@link #writesInFlight}
     * threads, never twice for one batch.
     *
     * @throws IOException the outcome is unknown; the engine will not be asked to write again
     */
    void write(Batch batch) throws IOException;

    /**
     * A batch is on disk, and so is every batch with a sequence up to {@code durableSequence}. Called before the appends
     * of the batch are settled.
     */
    void durable(Batch batch, long durableSequence);

    /**
     * The image of a version; null if it was moved meanwhile, and the index has a later version of the key.
     *
     * @throws io.tallystick.store.CorruptStoreException the bytes on disk are damaged
     */
    StateImage read(Append version) throws IOException;

    /** Gives files and threads up. Nothing is queued or in flight any more. */
    void close() throws IOException;

    /** What an engine may ask of the store, from threads of its own. */
    interface Rewriter {
        /** The latest version of the key, on disk or on its way; null where there is none. */
        Append latest(StateKey key);

        /**
         * Queues these records again, deferred, each if it is still the latest version of its key; one after the other
         * with nothing between them, so that they go to the disk side by side.
         *
         * @return bytes of the records that were queued
         * @throws io.tallystick.store.StoreFullException there is no room for one of them; those before it are queued
         */
        long rewrite(List<Carried> records);

        /** Returns when everything queued before is on disk. */
        void force();

        /** Ends the store's life as a log: what the engine promised cannot be kept. */
        void failStop(Throwable cause);
    }

    /** A version that is to lie elsewhere, and its record. */
    record Carried(Append version, byte[] record) {}

    /** What goes to the disk in one write. Engines subclass it. */
    abstract class Batch {
        private final long sequence;
        private final Append first;
        private final int count;
        private final long bytes;
        private final Append rest;

        /**
         * @param sequence one more than that of the batch before
         * @param first the first append; {@code count} of the chain belong to the batch
         * @param count how many appends
         * @param bytes what goes to the disk, framing and padding included
         * @param rest the first append of the chain that does not belong to the batch, or null
         */
        protected Batch(long sequence, Append first, int count, long bytes, Append rest) {
            this.sequence = sequence;
            this.first = first;
            this.count = count;
            this.bytes = bytes;
            this.rest = rest;
        }

        /** One more than that of the batch before. */
        public final long sequence() {
            return sequence;
        }

        /** The first append. */
        public final Append first() {
            return first;
        }

        /** How many appends of the chain belong to the batch. */
        public final int count() {
            return count;
        }

        /** What goes to the disk, framing and padding included. */
        public final long bytes() {
            return bytes;
        }

        final Append rest() {
            return rest;
        }
    }
}
