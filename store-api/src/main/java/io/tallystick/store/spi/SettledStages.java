package io.tallystick.store.spi;

import io.tallystick.store.spi.StageCompleter.Stage;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The queue of settled stages: a lock-free stack that is taken as a whole and turned round.
 *
 * <p>Any thread pushes, with any locks. One thread at a time polls, under the lock of the {@link StageCompleter}.
 * Nothing here takes memory: the stages are linked.
 */
final class SettledStages {
    // The newest first.
    private final AtomicReference<Stage> arrived = new AtomicReference<>();
    // The oldest first; written by the thread that polls.
    private volatile Stage ready;

    /** Queues stages, each of which is linked to the one settled before it. */
    void push(Stage newest, Stage oldest) {
        Stage before;
        do {
            before = arrived.get();
            oldest.next = before;
        } while (!arrived.compareAndSet(before, newest));
    }

    boolean hasAny() {
        return ready != null || hasArrived();
    }

    /** Whether stages are queued that no poll has looked at. */
    boolean hasArrived() {
        return arrived.get() != null;
    }

    /** Takes the stage that was settled first; null if there is none. */
    Stage poll() {
        if (ready == null) {
            for (Stage stage = arrived.getAndSet(null); stage != null; ) {
                Stage older = stage.next;
                stage.next = ready;
                ready = stage;
                stage = older;
            }
        }
        Stage first = ready;
        if (first != null) {
            ready = first.next;
            first.next = null;
        }
        return first;
    }
}
