package io.tallystick.store.journal.artemis;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Remembers the first error that nothing acknowledged may come after, and passes it on at once. For any thread. */
final class FailureLatch {
    private final AtomicReference<Throwable> first = new AtomicReference<>();
    private volatile Consumer<Throwable> listener = failure -> {};

    /** Tells this listener from now on, and at once of a failure that came before. */
    void tell(Consumer<Throwable> newListener) {
        listener = newListener;
        Throwable failure = first.get();
        if (failure != null) {
            newListener.accept(failure);
        }
    }

    void fail(Throwable failure) {
        if (first.compareAndSet(null, failure)) {
            listener.accept(failure);
        }
    }

    boolean isSet() {
        return first.get() != null;
    }

    /** Throws if something has failed. */
    void check() throws IOException {
        Throwable failure = first.get();
        if (failure != null) {
            throw new IOException("the Artemis journal failed: " + failure, failure);
        }
    }
}
