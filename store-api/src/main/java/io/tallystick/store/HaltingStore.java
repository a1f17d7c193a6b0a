package io.tallystick.store;

import io.tallystick.store.spi.FailureLog;
import io.tallystick.store.spi.ForwardingStore;
import io.tallystick.store.spi.StackRoom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Ends the process when the outcome of an operation is unknown: the store says so, or the operation ends with another
 * error, such as {@link OutOfMemoryError}. A transaction manager that answers every exception with a rollback could
 * contradict a decision that is on disk. After the end of the process recovery alone decides.
 */
final class HaltingStore extends ForwardingStore {
    /** {@code EX_SOFTWARE} of sysexits.h; {@link LossMarking#UNMARKED_STATUS} after a loss that is not marked. */
    static final int EXIT_STATUS = 70;

    // More than any operation of a store checks by itself.
    private static final int STACK_TIMES = 5;

    HaltingStore(ObjectStore store) {
        super(store);
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        halting(() -> {
            super.write(key, state, durability);
            return null;
        });
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        return halting(() -> super.writeAsync(key, state).whenComplete((nothing, failure) -> {
            if (failure != null && !isRefusal(causeOf(failure))) {
                halt(failure);
            }
        }));
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        return halting(() -> super.remove(key, durability));
    }

    @Override
    public void force() {
        halting(() -> {
            super.force();
            return null;
        });
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        halting(() -> {
            super.writeShadow(key, state, durability);
            return null;
        });
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        return halting(() -> super.commitShadow(key, durability));
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        return halting(() -> super.discardShadow(key, durability));
    }

    @Override
    public boolean hide(StateKey key) {
        return halting(() -> super.hide(key));
    }

    @Override
    public boolean reveal(StateKey key) {
        return halting(() -> super.reveal(key));
    }

    @Override
    public void close() {
        halting(() -> {
            super.close();
            return null;
        });
    }

    private <T> T halting(Supplier<T> operation) {
        StackRoom.check(STACK_TIMES); // a stack that ends within the operation would look like an unknown outcome
        try {
            return operation.get();
        } catch (Throwable thrown) {
            if (!isRefusal(thrown)) {
                halt(thrown);
            }
            throw thrown;
        }
    }

    /**
     * Whether nothing was written, and a caller may answer with a rollback. Memory may end after the write has begun.
     */
    private static boolean isRefusal(Throwable thrown) {
        return thrown instanceof StoreException && !(thrown instanceof OutcomeUnknownException)
                || thrown instanceof IllegalArgumentException
                || thrown instanceof NullPointerException
                || thrown instanceof UnsupportedOperationException;
    }

    private static Throwable causeOf(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private void halt(Throwable unknown) {
        int status = EXIT_STATUS;
        try {
            LossMarking marking = LossMarking.awaitedOf(store);
            status = marking.statusOr(EXIT_STATUS);
            FailureLog.tell(
                    HaltingStore.class,
                    "TALLY0002 the outcome of a write is unknown; ending the process, as "
                            + StoreOption.ON_UNKNOWN_OUTCOME.key() + "=halt asks, so that recovery decides"
                            + marking.clause(),
                    unknown);
        } finally {
            Runtime.getRuntime().halt(status); // even if the logger throws
        }
    }
}
