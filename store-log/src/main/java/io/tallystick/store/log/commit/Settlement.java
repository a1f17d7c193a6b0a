package io.tallystick.store.log.commit;

import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.spi.StageCompleter;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells callers what became of their appends: those that sleep, those that look, and those that gave a stage. Takes no
 * memory. Each step may be repeated, because a thread may end in the middle and leave its flight to another.
 */
final class Settlement {
    /** Fewer appends are settled before a permit is given back. */
    static final int QUICK = 16;

    private final StageCompleter stages;
    private final Consumer<PendingAppend> forget;
    private final Consumer<Throwable> fail;

    /**
     * @param forget takes the removals that the index holds, once they are on disk
     * @param fail fails the store
     */
    Settlement(StageCompleter stages, Consumer<PendingAppend> forget, Consumer<Throwable> fail) {
        this.stages = stages;
        this.forget = forget;
        this.fail = fail;
    }

    /**
     * Settles the appends of a batch: they succeed if it has landed and so have the deferred changes before it, and
     * only then. May be called again, by another thread too, and goes on where it was.
     *
     * @param failed why the store has failed; null if it has not
     */
    void settle(Flight flight, @Nullable Throwable failed) {
        Throwable trouble = flight.trouble; // another thread may set it when this one settles a flight that was held
        while (flight.unsettledAppends > 0) {
            PendingAppend append = Objects.requireNonNull(flight.firstUnsettled, "fewer appends than the batch counts");
            if (flight.covered) {
                forgetIfInIndex(append);
                append.succeed();
            } else {
                boolean isNotWritten = trouble instanceof RecordLog.NotWrittenException && !append.isBuiltUpon();
                append.fail(trouble != null ? trouble : failed, !isNotWritten);
            }
            StageCompleter.Stage stage = append.stage();
            PendingAppend next = append.next();
            if (stage != null) {
                stage.settled(append, flight.newestStage);
                flight.newestStage = stage;
                flight.oldestStage = flight.oldestStage == null ? stage : flight.oldestStage;
            }
            flight.firstUnsettled = next;
            flight.unsettledAppends--;
            append.setNext(null); // a version that lives long must not hold all that came after it
        }
        StageCompleter.Stage newest = flight.newestStage;
        if (newest != null) {
            flight.newestStage = null;
            stages.complete(newest, flight.oldestStage);
        }
    }

    /** Tells the callers of the barriers that waited for this flight. May be called again, and goes on where it was. */
    void release(Flight flight) {
        while (flight.released != null) {
            PendingAppend barrier = flight.released;
            PendingAppend next = barrier.next();
            barrier.succeed();
            flight.released = next;
            barrier.setNext(null);
        }
    }

    private void forgetIfInIndex(PendingAppend append) {
        try {
            if (append.isInIndex()) {
                forget.accept(append);
            }
        } catch (Throwable remembered) { // a removal that stays in the index is still a removal
            fail.accept(remembered);
        }
    }

    /** Refuses an append: nothing of it was written. A barrier's outcome is unknown. Returns the next append. */
    @Nullable PendingAppend refuse(PendingAppend append, Throwable cause) {
        append.fail(cause, append.isBarrier());
        StageCompleter.Stage stage = append.stage();
        if (stage != null) {
            stages.complete(stage.settled(append, null), stage);
        }
        PendingAppend next = append.next();
        append.setNext(null);
        return next;
    }
}
