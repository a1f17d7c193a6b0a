package io.tallystick.reaper;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One transaction's place with the reaper, and the handle by which its end is told.
 *
 * <p>The whole race between the transaction's end and its timeout is decided on one word of this object. {@link
 * #cancel} and a worker of the reaper both try to replace the transaction there, and the first one wins. Nothing
 * else is touched. The reaper forgets an ended registration when it next passes it. The transaction itself is let
 * go at once. Any thread may call any method.
 */
public final class Registration {
    private static final Reapable CANCELLED = new Mark();
    private static final Reapable EXPIRED = new Mark();
    private static final VarHandle TARGET = field("target", Reapable.class);
    private static final VarHandle DEADLINE = field("deadlineNanos", long.class);

    /** The transaction while this is open, then one of the marks. Only through {@link #TARGET}. */
    private @Nullable Reapable target;

    /** The time limit of the transaction. */
    private final long timeoutNanos;

    /** The deadline, 0 until the reaper has first looked. Only the watch writes it, through {@link #DEADLINE}. */
    private long deadlineNanos;

    /** The link of the list that has this; belongs to the owner of that list. */
    @Nullable Registration next;

    /**
     * The number of registrations pushed to the stripe since it was last taken, this one included. Constant once
     * pushed.
     */
    int rank;

    /** The thread whose stack is to be captured, or null. Watch only, once pushed. */
    private @Nullable Thread owner;

    /** The captured stack, or null. Written by the watch before a worker gets this. */
    private StackTraceElement @Nullable [] ownerStack;

    Registration(Reapable target, long timeoutNanos, @Nullable Thread owner) {
        TARGET.set(this, target); // published by the stripe's compare-and-set
        this.timeoutNanos = timeoutNanos;
        this.owner = owner;
    }

    /**
     * Tells that the transaction has ended and needs no timeout any more: one atomic step, no lock, no search.
     *
     * @return whether this call ended the registration, so that it will never expire; false if it has expired, or was
     *     cancelled before
     */
    public boolean cancel() {
        Reapable open = (Reapable) TARGET.getAcquire(this);
        return !isMark(open) && TARGET.compareAndSet(this, open, CANCELLED);
    }

    /** Whether the reaper has begun to cancel the transaction. */
    public boolean isExpired() {
        return TARGET.getAcquire(this) == EXPIRED;
    }

    /** The time that the transaction was given. */
    public Duration timeout() {
        return Duration.ofNanos(timeoutNanos);
    }

    /** Takes the transaction for expiry; null if its end came first. */
    @Nullable Reapable expire() {
        Reapable open = (Reapable) TARGET.getAcquire(this);
        return !isMark(open) && TARGET.compareAndSet(this, open, EXPIRED) ? open : null;
    }

    boolean hasEnded() {
        return isMark((Reapable) TARGET.getAcquire(this));
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    /** The deadline, or 0 while the reaper has not looked. */
    long deadlineNanos() {
        return (long) DEADLINE.getOpaque(this);
    }

    /** Sets the deadline from the time at which the reaper first looks. */
    void seenAt(long nowNanos) {
        long deadline = nowNanos + timeoutNanos;
        DEADLINE.setOpaque(this, deadline == 0 ? 1 : deadline);
    }

    boolean wantsCapture() {
        return owner != null;
    }

    /** Captures the owner's stack, once. */
    void captureOwnerStack() {
        Thread thread = owner;
        owner = null;
        ownerStack = Objects.requireNonNull(thread, "captured before").getStackTrace();
    }

    /** Gives up the capture. */
    void forgetOwner() {
        owner = null;
    }

    List<StackTraceElement> ownerStack() {
        return ownerStack == null ? List.of() : List.of(ownerStack);
    }

    @Override
    public String toString() {
        Object now = TARGET.getAcquire(this);
        String state = now == CANCELLED ? "cancelled" : now == EXPIRED ? "expired" : "open";
        return "Registration(" + state + ", timeout=" + DurationText.of(timeout()) + ")";
    }

    private static boolean isMark(Reapable target) {
        return target == CANCELLED || target == EXPIRED;
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(Registration.class, name, type);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Replaces the transaction in an ended registration. There are two of them, distinguished by identity. */
    private static final class Mark implements Reapable {
        @Override
        public CancelOutcome cancel(ExpiryReason reason) {
            return CancelOutcome.ENDED_BEFORE;
        }

        @Override
        public boolean preventCommit() {
            return false;
        }
    }
}
