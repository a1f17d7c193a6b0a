package io.tallystick.store.journal.artemis;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Remembers the first error after which nothing may be acknowledged, and passes it on at once. For any thread. */
final class FailureLatch {
    private final AtomicReference<Throwable> first = new AtomicReference<>();
    private final AtomicBoolean isPassedOn = new AtomicBoolean();
    private volatile Consumer<Throwable> listener = failure -> {};

    /** Passes failures to this listener from now on, and an earlier one at once. */
    void tell(Consumer<Throwable> newListener) {
        listener = newListener;
        Throwable failure = first.get();
        if (failure != null) {
            newListener.accept(failure);
        }
    }

    /** Remembers a failure. The caller must let other threads go on before it calls {@link #fail}. */
    void note(Throwable failure) {
        first.compareAndSet(null, failure);
    }

    void fail(Throwable failure) {
        note(failure);
        if (isPassedOn.compareAndSet(false, true)) {
            listener.accept(first.get());
        }
    }

    boolean isSet() {
        return first.get() != null;
    }

    /**
     * Checks that nothing has failed.
     *
     * @throws IOException with the first failure
     */
    void check() throws IOException {
        Throwable failure = first.get();
        if (failure != null) {
            throw new IOException("the Artemis journal failed: " + failure, failure);
        }
    }
}
