package io.tallystick.store.journal.engine;

import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import io.tallystick.store.spi.StateImage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * One image of one key: first a record on its way to the disk, then the version of the key that the index points to.
 *
 * <p>Life: made by a caller, queued under the lock of its key in the index, laid out by the writer that takes the queue
 * (which gives it its place), and settled once: {@link #succeed} when it is on disk, {@link #fail} when it is not or nobody
 * knows. Until it succeeds, readers see the version before it; a deferred one they see at once.
 */
public final class Append {
    private static final int PENDING = 0;
    private static final int PARKED = 1;
    private static final int DONE = 2;
    private static final int FAILED = 3;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Append.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final StateKey key;
    private final int flags;
    private final int committedLength;
    private final int shadowLength;
    private final int recordLength;
    private final boolean deferred;
    private final boolean carried;

    // Written before the append is queued, and dropped by the settling thread where memory is to be spared.
    private volatile byte[] record;

    // The version that this one supersedes. Set under the index' lock of the key; cleared on success by the settling
    // thread.
    private volatile Append previous;

    // Set under the index' lock of the key, before the append is queued: a removal that the index must forget when
    // settled.
    private boolean inIndex;

    // The queue's link; owned by the queue, then by the writer that took the append.
    private Append next;

    // Whether this or an append queued below it is waited for; set when it is queued.
    private boolean urgent;

    // Where the record is; set by the writer under the layout lock.
    private Object home;
    private long position;

    // A later version is on disk. Guarded by the layout lock.
    private boolean superseded;

    // The engine keeps the record in memory although it is on disk. Guarded by the layout lock.
    private boolean cached;

    private Thread waiter;
    private CompletableFuture<Void> future;
    private StoreException failure;
    private volatile int state;

    private Append(StateKey key, StateImage image, byte[] record, boolean deferred) {
        this.key = key;
        this.flags = RecordEncoder.flagsOf(image);
        this.committedLength = image.committed() == null ? 0 : image.committed().length;
        this.shadowLength = image.shadow() == null ? 0 : image.shadow().length;
        this.record = record;
        this.recordLength = record.length;
        this.deferred = deferred;
        this.carried = false;
    }

    private Append(RecordDecoder.Header header, byte[] record, Object home, long position) {
        this.key = header.key();
        this.record = record;
        this.flags = header.flags();
        this.committedLength = header.committedLength();
        this.shadowLength = header.shadowLength();
        this.recordLength = header.length();
        this.deferred = false;
        this.carried = false;
        this.home = home;
        this.position = position;
        this.state = DONE;
    }

    private Append(Append version, byte[] record) {
        this.key = version.key;
        this.flags = version.flags;
        this.committedLength = version.committedLength;
        this.shadowLength = version.shadowLength;
        this.record = record;
        this.recordLength = record.length;
        this.deferred = true;
        this.carried = true;
    }

    private Append() {
        this.key = null;
        this.flags = 0;
        this.committedLength = 0;
        this.shadowLength = 0;
        this.recordLength = 0;
        this.deferred = false;
        this.carried = false;
    }

    /** An append of this image, encoded already. */
    public static Append of(StateKey key, StateImage image, byte[] record, boolean deferred) {
        return new Append(Objects.requireNonNull(key), image, record, deferred);
    }

    /** A version that recovery found on disk. */
    public static Append recovered(RecordDecoder.Header header, Object home, long position) {
        return new Append(header, null, home, position);
    }

    /** A version that recovery found on disk, and that is to stay in memory. */
    public static Append recovered(RecordDecoder.Header header, byte[] record, Object home, long position) {
        return new Append(header, record, home, position);
    }

    /** The same version once more, to be written elsewhere. */
    public static Append copy(Append version, byte[] record) {
        return new Append(version, record);
    }

    /** Not a record: succeeds when everything queued before it is on disk. */
    static Append barrier() {
        return new Append();
    }

    boolean isBarrier() {
        return key == null;
    }

    /** The key. */
    public StateKey key() {
        return key;
    }

    /** {@link RecordFormat#FLAG_COMMITTED} and the others. */
    public int flags() {
        return flags;
    }

    /** What the key holds in this version. */
    public StateStatus status() {
        boolean hidden = (flags & RecordFormat.FLAG_HIDDEN) != 0;
        if ((flags & RecordFormat.FLAG_SHADOW) != 0) {
            return hidden ? StateStatus.SHADOW_HIDDEN : StateStatus.SHADOW;
        }
        if ((flags & RecordFormat.FLAG_COMMITTED) != 0) {
            return hidden ? StateStatus.COMMITTED_HIDDEN : StateStatus.COMMITTED;
        }
        return StateStatus.ABSENT;
    }

    /** Whether the key holds nothing in this version. */
    public boolean isTombstone() {
        return flags == 0;
    }

    /** Whether the key holds a committed value in this version and nothing else. */
    public boolean isPlainCommitted() {
        return flags == RecordFormat.FLAG_COMMITTED;
    }

    /** State bytes in both values. */
    public long stateBytes() {
        return (long) committedLength + shadowLength;
    }

    /** Bytes of the record, padding included. */
    public int recordLength() {
        return recordLength;
    }

    /** The encoded record, or null where only the disk has it. */
    public byte[] record() {
        return record;
    }

    /** Lets go of the encoded record; it is on disk. */
    public void dropRecord() {
        record = null;
    }

    /** The version that this one supersedes; null when there is none, or it does not matter any more. */
    public Append previous() {
        return previous;
    }

    /** Says which version this one supersedes. Under the index' lock of the key only. */
    public void supersede(Append version) {
        previous = version;
    }

    /** Whether the index must forget this removal when it is settled. */
    public boolean isInIndex() {
        return inIndex;
    }

    /** Says that the index holds this removal. Under the index' lock of the key, before queueing, only. */
    public void markInIndex() {
        inIndex = true;
    }

    /** What holds the record, in the words of the engine. */
    public Object home() {
        return home;
    }

    /** Where in its home the record is, in the words of the engine. */
    public long position() {
        return position;
    }

    /** Gives the record its place. By the writer that took it, before it is settled, only. */
    public void place(Object newHome, long newPosition) {
        this.home = newHome;
        this.position = newPosition;
    }

    /** Whether a later version is on disk. Under the layout lock only. */
    public boolean isSuperseded() {
        return superseded;
    }

    /** Says that a later version is on disk. Under the layout lock only. */
    public void markSuperseded() {
        superseded = true;
    }

    /** Whether the record is kept in memory although it is on disk. Under the layout lock only. */
    public boolean isCached() {
        return cached;
    }

    /** Says whether the record is kept in memory although it is on disk. Under the layout lock only. */
    public void setCached(boolean isCached) {
        cached = isCached;
    }

    /** The append that was queued after this one, in what a writer took. */
    public Append next() {
        return next;
    }

    void setNext(Append append) {
        next = append;
    }

    boolean isUrgent() {
        return urgent;
    }

    void setUrgent(boolean isUrgent) {
        urgent = isUrgent;
    }

    /** Whether the record is on disk. */
    public boolean isDone() {
        return state == DONE;
    }

    /** Whether the append was settled with an error. */
    public boolean isFailed() {
        return state == FAILED;
    }

    /** Whether readers may see this version: it is on disk, or its writer did not ask for that. */
    public boolean isVisible() {
        return deferred || state == DONE;
    }

    /** Whether its writer did not ask for it to be on disk. */
    public boolean isDeferred() {
        return deferred;
    }

    /** Whether it is a {@link #copy}, on its way to another place. */
    public boolean isCarried() {
        return carried;
    }

    boolean isSettled() {
        return state >= DONE;
    }

    /** Why it was not written, or nobody knows. Meaningful after it was settled. */
    public StoreException failure() {
        return failure;
    }

    /** Completes this future when the append is settled. Before it is queued only. */
    public void completeWhenSettled(CompletableFuture<Void> toComplete) {
        future = toComplete;
    }

    /** Parks the calling thread once, unless the append was settled; may return early. */
    void park(Object blocker) {
        waiter = Thread.currentThread();
        if (STATE.compareAndSet(this, PENDING, PARKED) || state == PARKED) {
            LockSupport.park(blocker);
        }
    }

    /** The record is on disk. First {@code previous} stays readable, then this version is what readers see. */
    void succeed() {
        int before = (int) STATE.getAndSet(this, DONE);
        previous = null;
        wake(before);
    }

    void fail(StoreException why) {
        failure = why;
        int before = (int) STATE.getAndSet(this, FAILED);
        wake(before);
    }

    private void wake(int before) {
        if (before == PARKED) {
            LockSupport.unpark(waiter);
        }
        if (future != null) {
            if (failure == null) {
                future.complete(null);
            } else {
                future.completeExceptionally(failure);
            }
        }
    }
}
