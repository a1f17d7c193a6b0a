package io.tallystick.store;

import io.tallystick.store.spi.ForwardingStore;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Ends the process where the outcome of an operation is unknown. A transaction manager that answers every exception with a
 * rollback would otherwise contradict a decision that may be on disk; ended at this point, recovery alone decides.
 */
final class HaltingStore extends ForwardingStore {
    /** {@code EX_SOFTWARE} of sysexits.h. */
    static final int EXIT_STATUS = 70;

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
        return super.writeAsync(key, state).whenComplete((nothing, failure) -> {
            if (failure instanceof OutcomeUnknownException
                    || failure != null && failure.getCause() instanceof OutcomeUnknownException) {
                halt(failure);
            }
        });
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

    private static <T> T halting(Supplier<T> operation) {
        try {
            return operation.get();
        } catch (OutcomeUnknownException unknown) {
            halt(unknown);
            throw unknown;
        }
    }

    private static void halt(Throwable unknown) {
        System.getLogger(HaltingStore.class.getName())
                .log(
                        System.Logger.Level.ERROR,
                        "TALLY0002 the outcome of a write is unknown; ending the process, as "
                                + StoreOption.ON_UNKNOWN_OUTCOME.key() + "=halt asks, so that recovery decides",
                        unknown);
        Runtime.getRuntime().halt(EXIT_STATUS);
    }
}
