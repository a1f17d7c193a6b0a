package io.tallystick.testkit.schedule;

import java.util.concurrent.CompletionException;

/** Takes the place of its namesake, as far as one thread waits for what another one completes. */
public final class CompletableFuture<T> {
    private boolean isComplete;
    private T value;
    private Throwable failure;

    /** Not complete. */
    public CompletableFuture() {}

    /** Completes it with a value; false if it was complete. */
    public boolean complete(T with) {
        return complete(with, null);
    }

    /** Completes it with a failure; false if it was complete. */
    public boolean completeExceptionally(Throwable with) {
        return complete(null, with);
    }

    private boolean complete(T newValue, Throwable newFailure) {
        Schedule.point();
        if (isComplete) {
            return false;
        }
        value = newValue;
        failure = newFailure;
        isComplete = true;
        Schedule.point();
        return true;
    }

    /** Waits until it is complete, and answers the value, or throws the failure in a {@link CompletionException}. */
    public T join() {
        Schedule.point();
        if (!isComplete) {
            Schedule.await(() -> isComplete);
        }
        if (failure != null) {
            throw new CompletionException(failure);
        }
        return value;
    }
}
