package io.tallystick.store.log.commit;

import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StageCompleter;
import io.tallystick.store.spi.StateImage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A version on its way to the disk.
 *
 * <p>Its life: a caller makes it, and queues it under the lock of its key in the index. A writer takes the queue and
 * gives it its place. It is settled once: {@link #succeed} when it is on disk, {@link #fail} when it is not or when
 * that is unknown. Until it succeeds, readers see the version before it. They see a deferred one at once, unless a
 * forced version below it is still on its way.
 */
@SuppressWarnings("exports") // @Nullable: it is for the compiler, and users need no module of it
public final class PendingAppend extends Version implements StageCompleter.Outcome {
    private static final int PENDING = 0;
    private static final int PARKED = 1;
    private static final int DONE = 2;
    private static final int FAILED = 3;

    private static final long FIRST_PAUSE_NANOS = 50_000;
    private static final long LONGEST_PAUSE_NANOS = 2_000_000;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(PendingAppend.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final boolean deferred;
    private final boolean carried;

    // The version that this one supersedes. Set under the index' lock; cleared on success by the settling thread.
    private volatile @Nullable Version previous;

    // Of a deferred version, the newest forced one whose values it holds, if that was not on disk yet. Set and cleared
    // together with the version before.
    private volatile @Nullable Version forcedBelow;

    // A removal that the index must forget when settled. Set under the index' lock, before the append is queued.
    private boolean inIndex;

    // Written before the append is queued.
    private boolean independent;

    // The queue's link; owned by the queue, then by the writer that took the append.
    private @Nullable PendingAppend next;

    // How many appends in the queue up to this one are to be on disk soon, and whether a thread waits for one. Set when
    // this one is queued.
    private int committers;
    private boolean awaited;

    // The bytes of the deferred records that were in the queue before this one. Set when this one is queued.
    private long deferredBefore;

    private @Nullable Thread waiter;
    private StageCompleter.@Nullable Stage stage;
    private @Nullable Throwable cause;
    private boolean unknown;
    // A later version holds what this one does. Set under the index' lock, before that version is queued.
    private volatile boolean isBuiltUpon;
    private volatile int state;

    private PendingAppend(StateKey key, StateImage image, byte[] record, boolean deferred) {
        super(key, RecordEncoder.flagsOf(image), lengthOf(image.committed()), lengthOf(image.shadow()), record);
        this.deferred = deferred;
        this.carried = false;
    }

    private PendingAppend(Version version, byte @Nullable [] record) {
        super(version, record);
        this.deferred = true;
        this.carried = true;
    }

    @SuppressWarnings("NullAway") // a barrier has no key and no record, and nothing but isBarrier asks for them
    private PendingAppend() {
        super(null, 0, 0, 0, null);
        this.deferred = false;
        this.carried = false;
    }

    private static int lengthOf(byte @Nullable [] value) {
        return value == null ? 0 : value.length;
    }

    /** An append of this image, encoded already. */
    public static PendingAppend of(StateKey key, StateImage image, byte[] record, boolean deferred) {
        return new PendingAppend(Objects.requireNonNull(key), image, record, deferred);
    }

    /** The same version once more, to be written elsewhere. */
    public static PendingAppend copy(Version version, byte @Nullable [] record) {
        return new PendingAppend(version, record);
    }

    /** Not a record: succeeds when everything queued before it is on disk. */
    static PendingAppend barrier() {
        return new PendingAppend();
    }

    boolean isBarrier() {
        return key() == null;
    }

    /** The version that this one supersedes; null when there is none, or it does not matter any more. */
    @Override
    public @Nullable Version previous() {
        return previous;
    }

    /** Says which version this one supersedes. Under the index' lock of the key, before it is queued, only. */
    public void supersede(@Nullable Version version) {
        previous = version;
        if (version instanceof PendingAppend below && !isIndependent()) {
            below.isBuiltUpon = true;
        }
        if (deferred && !isIndependent() && version != null && !version.isVisible()) {
            forcedBelow = version.isDeferred() ? version.beforeWhatIsHidden() : version;
        }
    }

    /**
     * Whether nothing of the version that this one supersedes is in it: a removal, or a write of a value of its own.
     */
    public boolean isIndependent() {
        return independent || isTombstone();
    }

    /** Says that this version holds nothing of the one that it supersedes. Before it is queued only. */
    public void markIndependent() {
        independent = true;
    }

    /** Whether the index must forget this removal when it is settled. */
    public boolean isInIndex() {
        return inIndex;
    }

    /** Says that the index holds this removal. Under the index' lock of the key, before queueing, only. */
    public void markInIndex() {
        inIndex = true;
    }

    /** The append that was queued after this one, in the chain that a writer took. */
    @Override
    public @Nullable PendingAppend next() {
        return next;
    }

    void setNext(@Nullable PendingAppend append) {
        next = append;
    }

    int committers() {
        return committers;
    }

    void setCommitters(int appends) {
        committers = appends;
    }

    long deferredBefore() {
        return deferredBefore;
    }

    void setDeferredBefore(long bytes) {
        deferredBefore = bytes;
    }

    /** As {@link #deferredBefore}, with this one. The copies of the housekeeper do not count. */
    long deferredUpToThis() {
        return deferredBefore + (deferred && !carried ? recordLength() : 0);
    }

    /** Whether a thread waits for this append itself: it has no stage, and was not deferred. */
    boolean isOfWaitingThread() {
        return !deferred && stage == null;
    }

    boolean isAwaited() {
        return awaited;
    }

    void setAwaited(boolean isAwaited) {
        awaited = isAwaited;
    }

    /** Whether the record is on disk. */
    @Override
    public boolean isDone() {
        return state == DONE;
    }

    /** Whether the append was settled with an error. */
    public boolean isFailed() {
        return state == FAILED;
    }

    /**
     * Whether readers may see this version: it is on disk, or it is deferred and holds no value of a forced version on
     * its way. A deferred version between the two may be on disk first: then the values are too.
     */
    @Override
    public boolean isVisible() {
        PendingAppend version = this;
        while (version.deferred && version.state != DONE) {
            Version forced = version.forcedBelow;
            if (forced == null || forced.isDone()) {
                return true;
            }
            Version below = version.previous;
            if (below == null) {
                break; // it has succeeded meanwhile
            }
            if (!(below instanceof PendingAppend)) {
                return below.isVisible();
            }
            version = (PendingAppend) below;
        }
        return version.state == DONE;
    }

    /**
     * Waits until readers may see this version or never will: where it has failed, that is known once the forced one
     * below it is settled. Runs the action before each look, some 500 a second.
     */
    void awaitVisible(Runnable beforeEachLook) {
        boolean interrupted = false;
        long pauseNanos = FIRST_PAUSE_NANOS;
        while (!isVisible() && !(isFailed() && isForcedBelowSettled())) {
            beforeEachLook.run();
            LockSupport.parkNanos(this, pauseNanos);
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            interrupted |= Thread.interrupted(); // with the flag set no thread parks
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isForcedBelowSettled() {
        return !(forcedBelow instanceof PendingAppend forced) || forced.isSettled();
    }

    /** Where to look on if this version is not visible. */
    @Override
    public @Nullable Version beforeWhatIsHidden() {
        return deferred ? forcedBelow : previous;
    }

    /** Whether its writer did not ask for it to be on disk. */
    @Override
    public boolean isDeferred() {
        return deferred;
    }

    /** Whether it is a {@link #copy}, on its way to another place. */
    @Override
    public boolean isCarried() {
        return carried;
    }

    /** Whether the append was settled with an error that leaves open whether it is on disk. */
    public boolean isUnknown() {
        return isFailed() && unknown;
    }

    /** Whether a later version holds what this one does, and may be on disk although this one is not. */
    boolean isBuiltUpon() {
        return isBuiltUpon;
    }

    boolean isSettled() {
        return state >= DONE;
    }

    /** Why it is not on disk, or may not be, as an exception of the calling thread; null if it is on disk. */
    @Override
    public @Nullable StoreException failure() {
        if (!isFailed()) {
            return null;
        }
        Throwable why = Objects.requireNonNull(cause, "an append that failed has a cause");
        return unknown ? CommitFailure.unknown(why) : CommitFailure.refusal(why);
    }

    /** Says that this stage is to be completed when the append is settled. Before it is queued only. */
    public void completeWhenSettled(StageCompleter.Stage toComplete) {
        stage = toComplete;
    }

    /** The stage to complete when the append is settled; null where there is none. */
    StageCompleter.@Nullable Stage stage() {
        return stage;
    }

    /**
     * Parks the calling thread once, unless the append was settled; may return early.
     *
     * @param nanos for how long at most; {@code Long.MAX_VALUE} for no limit
     */
    void park(Object blocker, long nanos) {
        waiter = Thread.currentThread();
        if (STATE.compareAndSet(this, PENDING, PARKED) || state == PARKED) {
            if (nanos == Long.MAX_VALUE) {
                LockSupport.park(blocker);
            } else {
                LockSupport.parkNanos(blocker, nanos);
            }
            STATE.compareAndSet(this, PARKED, PENDING); // the one who settles it need not wake a thread that is awake
        }
    }

    /** The record is on disk: readers see this version from now on. May be called again after it has thrown. */
    void succeed() {
        settledAs(DONE);
        previous = null;
        if (deferred) {
            forcedBelow = null;
        }
    }

    /** The store has failed: the record is not on disk, or that is unknown. May be called again after it has thrown. */
    void fail(@Nullable Throwable why, boolean isUnknown) {
        cause = why;
        unknown = isUnknown;
        settledAs(FAILED);
    }

    private void settledAs(int settled) {
        int before = (int) STATE.getAndSet(this, settled);
        // This also wakes a waiter that an earlier call could not wake. A waiter that was about to park does not mind.
        Thread waiting = waiter;
        if (before != PENDING && waiting != null) {
            LockSupport.unpark(waiting);
        }
    }
}
