package io.tallystick.store.file;

import io.tallystick.store.Durability;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.spi.StageCompleter;
import io.tallystick.store.spi.StatisticsRecorder;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Accepts the writes whose callers do not wait, and carries them out on threads of the store. */
final class AsyncWriteQueue {
    private final OperationGate gate;
    private final StateChanges changes;
    private final StatisticsRecorder statistics;
    private final AsyncWriters writers = new AsyncWriters();
    private final StageCompleter stages;

    /**
     * A queue without writes.
     *
     * @param completionExecutor where stages complete; empty for threads of the store
     */
    AsyncWriteQueue(
            OperationGate gate,
            StateChanges changes,
            StatisticsRecorder statistics,
            Optional<Executor> completionExecutor) {
        this.gate = gate;
        this.changes = changes;
        this.statistics = statistics;
        this.stages = new StageCompleter("tallystick-file-stages", completionExecutor);
    }

    /**
     * Queues a write. Waits while too many writes are on their way.
     *
     * @throws io.tallystick.store.StoreClosedException the store was closed
     */
    CompletionStage<Void> write(StateKey key, byte[] state) {
        StageCompleter.Stage written = stages.newStage();
        writers.takePlace(state.length);
        try {
            gate.enter();
        } catch (StoreException closed) {
            writers.giveBack(state.length);
            throw closed;
        }
        AsyncWrite write;
        try {
            byte[] copy = state.clone();
            write = new AsyncWrite(this, changes.typeToChange(key), key, copy, written);
            write.queue();
        } catch (StoreException refused) {
            leave(state.length);
            written.completeExceptionally(refused);
            return written;
        } catch (RuntimeException | Error failed) {
            leave(state.length);
            throw failed;
        }
        write.start();
        return written;
    }

    /** Gives the write to a thread of the store. */
    void execute(AsyncWrite write) {
        writers.execute(write);
    }

    /** Carries the write out, and settles its ticket in any case. */
    void carryOut(AsyncWrite write) {
        changes.carryOut(write.type(), write.key(), write.ticket(), write::over, Durability.FORCED);
        statistics.written();
    }

    /** Ends a write. Its stage completes on another thread; a store that closes waits for it. */
    void complete(AsyncWrite write, StageCompleter.Stage written) {
        // The stage is queued before the store may close, so that closing finds it.
        try {
            stages.complete(written.settled(write, null), written);
        } finally {
            leave(write.bytes());
        }
    }

    /** Gives the write's place back, and lets the store close. */
    private void leave(int bytes) {
        try {
            writers.giveBack(bytes);
        } finally {
            gate.leave();
        }
    }

    /** Waits until all writes are over and their stages are complete, and ends the threads. The gate is closed. */
    void close() {
        writers.close();
        stages.close();
    }
}
