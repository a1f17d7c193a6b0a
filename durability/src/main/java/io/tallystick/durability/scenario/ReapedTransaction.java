package io.tallystick.durability.scenario;

import io.tallystick.reaper.CancelOutcome;
import io.tallystick.reaper.CloseMode;
import io.tallystick.reaper.Expiry;
import io.tallystick.reaper.ExpiryReason;
import io.tallystick.reaper.Reapable;
import io.tallystick.reaper.Registration;
import io.tallystick.reaper.TransactionReaper;
import io.tallystick.testkit.schedule.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A transaction of {@link ReaperScenario}. It knows what the reaper has promised for it, and records each call that
 * breaks this. It does not throw in such a call: the reaper takes an exception for a cancellation that failed.
 */
final class ReapedTransaction implements Reapable {
    static final long BLOCKED_NANOS = 8 * ReaperScenario.TICK_NANOS;

    private final Record record;
    private final long timeoutNanos;
    private final Behaviour behaviour;
    private final int hesitation;

    private long registeredNanos;
    private long cancelledNanos;
    private Registration registration;
    private boolean refused;
    private boolean ending;
    private boolean endedByItself;
    private final AtomicInteger cancels = new AtomicInteger();
    private final AtomicInteger preventions = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private boolean returned;

    ReapedTransaction(Record record, long timeoutNanos, Behaviour behaviour, int hesitation) {
        this.record = record;
        this.timeoutNanos = timeoutNanos;
        this.behaviour = behaviour;
        this.hesitation = hesitation;
    }

    /** The behaviour of a cancellation. */
    enum Behaviour {
        IS_CANCELLED,
        REFUSES,
        THROWS,
        /** It does not come back for some time, and then has rolled back. */
        BLOCKS
    }

    /** The violations of one schedule, and what the transactions must know of the reaper. */
    static final class Record {
        private final List<String> violations = new ArrayList<>();
        private boolean closing;
        private boolean expiresOpen;
        private boolean closed;
        private boolean watchFailed;

        void closing(CloseMode mode) {
            closing = true;
            if (mode == CloseMode.EXPIRE_OPEN) {
                expiresOpen = true;
            }
        }

        boolean isClosing() {
            return closing;
        }

        /** A close has returned, and left nothing open. */
        void closed() {
            closed = true;
        }

        /** The watch could not be started. What others register then has no time limit until a start succeeds. */
        void watchFailedToStart() {
            watchFailed = true;
        }

        boolean watchFailed() {
            return watchFailed;
        }

        void check() {
            if (!violations.isEmpty()) {
                throw new AssertionError(String.join("; ", violations));
            }
        }
    }

    void registeredWith(TransactionReaper reaper) {
        registeredNanos = Schedule.nanoTime();
        registration = reaper.register(this, Duration.ofNanos(timeoutNanos));
    }

    void refused() {
        refused = true;
        require(cancels.get() == 0, "it is refused and was cancelled");
    }

    /** The points that its own thread passes before it ends it beside a worker. */
    int hesitation() {
        return hesitation;
    }

    /** Its own thread ends it, if the reaper was not first. */
    void end() {
        ending = true;
        if (registration.cancel()) {
            endedByItself = true;
            require(cancels.get() == 0, "two winners: it was cancelled, and its end was first");
        }
    }

    @Override
    public CancelOutcome cancel(ExpiryReason reason) {
        cancelledNanos = Schedule.nanoTime();
        require(cancels.incrementAndGet() == 1, "it is cancelled twice");
        require(!refused && !endedByItself, "it is cancelled after its end");
        require(!record.closed, "it is cancelled after a close that left nothing open");
        boolean isOver = cancelledNanos - registeredNanos >= timeoutNanos;
        require(isOver || reason == ExpiryReason.CLOSE && record.expiresOpen, "it is cancelled early, " + reason);
        if (behaviour == Behaviour.BLOCKS) {
            Schedule.sleep(BLOCKED_NANOS);
        }
        returned = true;
        return switch (behaviour) {
            case REFUSES -> CancelOutcome.REFUSED;
            case THROWS -> throw new IllegalStateException("this cancellation fails");
            default -> CancelOutcome.CANCELLED;
        };
    }

    @Override
    public boolean preventCommit() {
        preventions.incrementAndGet();
        require(cancels.get() == 1, "its commit is prevented before it is cancelled");
        return true;
    }

    void told(Expiry expiry) {
        told.incrementAndGet();
        require(returned, "the listener hears of it before the cancellation has returned");
        boolean late = expiry.reason() == ExpiryReason.TIMEOUT;
        require(late != expiry.lateness().isNegative(), "reason and lateness do not fit");
    }

    boolean isOpen() {
        return !ending && !returned;
    }

    boolean wasCancelled() {
        return cancels.get() > 0;
    }

    /** The time that is left is never told too small, and at most one precision too large. */
    void checkRemaining(TransactionReaper reaper, long precisionNanos) {
        long answer = reaper.remaining(registration).toNanos();
        if (cancels.get() == 0 && !registration.isExpired() && !record.watchFailed) {
            long left = Math.max(0, registeredNanos + timeoutNanos - Schedule.nanoTime());
            require(answer >= left && answer <= left + precisionNanos, "remaining is " + answer + " and not " + left);
        }
    }

    /** The reaper was not closed, and all time limits but the long ones are over. */
    void checkRested(long mostLateNanos, boolean mayBeForgotten) {
        if (endedByItself || mayBeForgotten && cancels.get() == 0) {
            return;
        }
        require(cancels.get() == 1, "its time is over, and it is not cancelled");
        require(cancelledNanos - registeredNanos - timeoutNanos <= mostLateNanos, "it is cancelled late");
        require(
                behaviour != Behaviour.BLOCKS || preventions.get() == 1,
                "it was stuck, and its commit is not prevented");
    }

    /** The reaper is closed, and each call has returned. */
    void checkAtTheEnd() {
        require(told.get() == cancels.get(), "the listener heard of it " + told + " times");
        boolean failed = behaviour == Behaviour.REFUSES || behaviour == Behaviour.THROWS;
        if (failed) {
            require(preventions.get() == cancels.get(), "it was not cancelled, and its commit was prevented wrongly");
        } else if (behaviour == Behaviour.IS_CANCELLED) {
            require(preventions.get() == 0, "it was cancelled, and its commit was prevented");
        }
        require(!record.closed || !isOpen(), "it was left open by a close that left nothing open");
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            record.violations.add(otherwise + ": " + this);
        }
    }

    @Override
    public String toString() {
        return behaviour + ", timeout=" + timeoutNanos / ReaperScenario.TICK_NANOS + " ticks, registered at "
                + registeredNanos / ReaperScenario.TICK_NANOS + ", cancelled=" + cancels + " at "
                + cancelledNanos / ReaperScenario.TICK_NANOS + ", ended=" + endedByItself + ", told=" + told
                + ", prevented=" + preventions;
    }
}
