package io.tallystick.store;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Ends the process where the outcome of an operation is unknown. A transaction manager that answers every exception with a
 * rollback would otherwise contradict a decision that may be on disk; ended at this point, recovery alone decides.
 */
final class HaltingStore implements ObjectStore {
    /** {@code EX_SOFTWARE} of sysexits.h. */
    static final int EXIT_STATUS = 70;

    private final ObjectStore store;

    HaltingStore(ObjectStore store) {
        this.store = store;
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        halting(() -> {
            store.write(key, state, durability);
            return null;
        });
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        return store.writeAsync(key, state).whenComplete((nothing, failure) -> {
            if (failure instanceof OutcomeUnknownException
                    || failure != null && failure.getCause() instanceof OutcomeUnknownException) {
                halt(failure);
            }
        });
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        return halting(() -> store.remove(key, durability));
    }

    @Override
    public void force() {
        halting(() -> {
            store.force();
            return null;
        });
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        halting(() -> {
            store.writeShadow(key, state, durability);
            return null;
        });
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        return store.readShadow(key);
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        return halting(() -> store.commitShadow(key, durability));
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        return halting(() -> store.discardShadow(key, durability));
    }

    @Override
    public Set<String> types() {
        return store.types();
    }

    @Override
    public List<StateKey> keys(String type) {
        return store.keys(type);
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        return store.read(key);
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        return store.statusOf(key);
    }

    @Override
    public boolean hide(StateKey key) {
        return halting(() -> store.hide(key));
    }

    @Override
    public boolean reveal(StateKey key) {
        return halting(() -> store.reveal(key));
    }

    @Override
    public StoreDescription description() {
        return store.description();
    }

    @Override
    public StoreStatistics statistics() {
        return store.statistics();
    }

    @Override
    public Optional<StoreException> failure() {
        return store.failure();
    }

    @Override
    public StoreHealth health() {
        return store.health();
    }

    @Override
    public void close() {
        halting(() -> {
            store.close();
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
