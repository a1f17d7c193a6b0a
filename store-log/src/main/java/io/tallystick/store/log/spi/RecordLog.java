package io.tallystick.store.log.spi;

import io.tallystick.storage.UsedFile;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.commit.GroupCommit;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An engine: the place where batches of records go, one durable write a batch. {@link GroupCommit} decides when a
 * thread writes; an engine decides where the bytes go and how they are found again.
 *
 * <p>The life of one record, in the order of the calls. Each state has one way out for a success and one for a failure.
 *
 * <pre>
 * state      call               by, under which lock              on success   on failure
 * new        {@link #reserve}   the caller, none                  reserved     the caller is told why
 * reserved   push               the caller, the key's lock        queued       {@link #refund}
 * queued     {@link #layOut}    a writer, the layout lock         laid out     the store fails
 * laid out   {@link #write}     the same writer, none             written      outcome unknown; the store fails
 * written    {@link #durable}   a writer, the layout lock         counted      the store fails
 * counted    settle             a writer, none                    settled
 * </pre>
 *
 * <p>A batch counts when each batch with a deferred change before it is on disk too. So these two steps may be taken by
 * the writer of such a batch.
 *
 * <p>{@code push} and {@code settle} are the group commit's: an engine sees neither. A store that has failed calls
 * {@link #write} no more; batches that were on their way still return from it, and one that a thread is just about to
 * write may still come.
 */
@SuppressWarnings("exports") // @Nullable: it is for the compiler, and users need no module of it
public interface RecordLog {
    /**
     * Called once, when the store is ready to append: the engine may start its housekeeping. After a failure the
     * opening is given up, and {@link #close} comes next.
     *
     * @throws IOException the store cannot be opened
     */
    default void start(Rewriter rewriter) throws IOException {
        // an engine without housekeeping has nothing to start
    }

    /** What the log is called in the names of threads and in errors: one word, in lower case. */
    default String name() {
        return "log";
    }

    /** How many batches may be written at the same time, at least 1. */
    int writesInFlight();

    /**
     * Whether the log lies on another machine. Then a write is dear in time and cheap for this processor: only writer
     * threads write, and as many batches fly at a time as {@link #writesInFlight} allows. A caller must not sit in the
     * reconnects of a write.
     */
    default boolean isRemote() {
        return false;
    }

    /**
     * The files that the log relies on at this moment, with the size that each has at least. A file is out of this list
     * before it is deleted, renamed or cut.
     */
    default List<UsedFile> filesInUse() {
        return List.of();
    }

    /**
     * Reserves room for a record, before it is queued. A removal frees room, so it may use the reserve. A record that
     * is carried to another place never waits for room.
     *
     * @throws io.tallystick.store.StoreFullException there is none; nothing was written
     * @throws io.tallystick.store.StoreIoException there is none, because the disk fails; nothing was written
     */
    void reserve(Version append);

    /** Gives back what {@link #reserve} took; the record was not queued after all. */
    void refund(Version append);

    /**
     * Gives places to the first appends of the chain, as many as go into one write, in the order of the chain. Called
     * under the layout lock: the order of calls is the order of the log. Does no I/O, except that it may wait for room
     * that {@link #reserve} has promised.
     *
     * @param first the chain, linked by {@link Version#next}
     */
    Batch layOut(Version first) throws IOException;

    /**
     * Whether a mark would tell something new, and has a place that takes no reserved room. Called under the layout
     * lock, while no batch is on its way.
     */
    default boolean wantsMark() {
        return false;
    }

    /**
     * Gives a place to a mark: a batch without appends. Once it is on disk, recovery knows that every batch before it
     * was, and takes damage to one of them for damage. Called under the layout lock, while no batch is on its way,
     * after {@link #wantsMark} said yes.
     */
    default Batch layOutMark() {
        throw new UnsupportedOperationException(name() + " has no marks");
    }

    /**
     * Writes a batch; when it returns, the batch is on disk. Called without locks, by at most {@link #writesInFlight}
     * threads, never twice for one batch.
     *
     * @throws NotWrittenException nothing of the batch is in the log, and nothing will be
     * @throws IOException the outcome is unknown; the engine will not be asked to write again
     */
    void write(Batch batch) throws IOException;

    /**
     * A batch is on disk and counts, and every batch with a sequence up to {@code durableSequence} is on disk. Called
     * before the appends of the batch are settled. Until then readers see what its records supersede.
     */
    void durable(Batch batch, long durableSequence);

    /**
     * The image of a version; null if it was moved meanwhile, and the index has a later version of the key.
     *
     * @throws io.tallystick.store.CorruptStoreException the bytes on disk are damaged
     */
    @Nullable StateImage read(Version version) throws IOException;

    /** Gives files and threads up. Nothing is queued or in flight any more. */
    void close() throws IOException;

    /** An engine has proof that a batch is not in the log, and will not be. The store fails stop nevertheless. */
    class NotWrittenException extends IOException {
        private static final long serialVersionUID = 1L;

        private final boolean fenced;

        /**
         * @param message where and why, and the remedy
         * @param fenced whether another owner has the log
         * @param cause what the engine was told; may be null
         */
        public NotWrittenException(String message, boolean fenced, @Nullable Throwable cause) {
            super(message, cause);
            this.fenced = fenced;
        }

        /** Whether another owner has the log. */
        public boolean isFenced() {
            return fenced;
        }
    }

    /**
     * What is in the log's place is not the log of this store any more: another owner has it, or it lacks what it had
     * acknowledged. Whether the batch is in it is unknown.
     */
    class LogLostException extends IOException {
        private static final long serialVersionUID = 1L;

        /** @param message where and why, and the remedy */
        public LogLostException(String message) {
            super(message);
        }
    }

    /** The requests of an engine to the store, from threads of its own. */
    interface Rewriter {
        /**
         * The latest version of the key, on disk or on its way; null where there is none. Waits for a caller that is
         * about to change the key, because its version may be on disk before the index shows it.
         */
        @Nullable Version latest(StateKey key);

        /**
         * Queues these records again, deferred, each if it is still the latest version of its key. No batch is taken
         * meanwhile, so that they lie side by side on disk.
         *
         * @return bytes of the records that were queued
         * @throws io.tallystick.store.StoreFullException there is no room for one of them; those before it are queued
         */
        long rewrite(List<Carried> records);

        /** Brings everything that was queued before to disk. */
        void force();

        /** Ends the store's life as a log: what the engine promised cannot be kept. */
        void failStop(Throwable cause);

        /**
         * Whether the store's life as a log has ended by a failure: nothing more may be written or forced then, so a
         * thread of the engine asks before each thing that it begins.
         */
        boolean hasFailed();
    }

    /** A version that is to lie elsewhere, and its record; a removal counts as long as its key has no version. */
    record Carried(Version version, byte @Nullable [] record) {
        /** Whether the version still counts where this is the latest one of its key, or null if there is none. */
        public boolean countsBeside(@Nullable Version latest) {
            return version.isTombstone() ? latest == null : latest == version;
        }
    }

    /** The records of one write to the disk. Engines subclass it. */
    abstract class Batch {
        private final long sequence;
        private final Version first;
        private final int count;
        private final long bytes;
        private final @Nullable Version rest;

        /**
         * @param sequence one more than that of the batch before
         * @param first the first append; {@code count} of the chain belong to the batch
         * @param count how many appends
         * @param bytes bytes that go to the disk, framing and padding included
         * @param rest the first append of the chain that does not belong to the batch, or null
         */
        protected Batch(long sequence, Version first, int count, long bytes, @Nullable Version rest) {
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
        public final Version first() {
            return first;
        }

        /** How many appends of the chain belong to the batch. */
        public final int count() {
            return count;
        }

        /** Bytes that go to the disk, framing and padding included. */
        public final long bytes() {
            return bytes;
        }

        public final @Nullable Version rest() {
            return rest;
        }
    }
}
