package io.tallystick.testkit.oracle;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import io.tallystick.store.spi.ForwardingStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** A store that reports every call to an {@link Oracle}. */
final class WatchedStore extends ForwardingStore {
    private final Oracle oracle;

    WatchedStore(Oracle oracle, ObjectStore store) {
        super(store);
        this.oracle = oracle;
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        change(ModelMove.WRITE, key, state, durability);
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        KeyHistory.Pending operation = oracle.invoked(ModelMove.WRITE, key, state.clone(), Durability.FORCED);
        CompletionStage<Void> stage;
        try {
            stage = store.writeAsync(key, state);
        } catch (RuntimeException failed) {
            threw(operation, failed);
            throw failed;
        }
        return stage.whenComplete((nothing, failure) -> {
            if (failure == null) {
                oracle.returned(operation, true);
            } else {
                threw(operation, failure instanceof CompletionException ? failure.getCause() : failure);
            }
        });
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        return change(ModelMove.REMOVE, key, null, durability);
    }

    @Override
    public void force() {
        long tick = oracle.tick();
        try {
            store.force();
        } catch (OutcomeUnknownException unknown) {
            oracle.failed();
            throw unknown;
        }
        oracle.forced(tick);
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        change(ModelMove.WRITE_SHADOW, key, state, durability);
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        return read(key, () -> store.readShadow(key), ModelImage::readableShadow);
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        return change(ModelMove.COMMIT_SHADOW, key, null, durability);
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        return change(ModelMove.DISCARD_SHADOW, key, null, durability);
    }

    @Override
    public List<StateKey> keys(String type) {
        Map<StateKey, Integer> before = new HashMap<>();
        oracle.knownKeys(type).forEach(key -> before.put(key, oracle.versionOf(key)));
        List<StateKey> keys = answer(() -> store.keys(type));
        boolean failed = store.failure().isPresent();
        Set<StateKey> listed = new HashSet<>(keys);
        listed.forEach(key -> oracle.seen(
                key, before.getOrDefault(key, 0), failed, image -> !image.isAbsent(), "the key in a list of its type"));
        before.forEach((key, since) -> {
            if (!listed.contains(key)) {
                oracle.seen(key, since, failed, ModelImage::isAbsent, "a list of its type without the key");
            }
        });
        return keys;
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        return read(key, () -> store.read(key), ModelImage::readable);
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        int since = oracle.versionOf(key);
        StateStatus status = answer(() -> store.statusOf(key));
        boolean failed = store.failure().isPresent();
        oracle.seen(key, since, failed, image -> image.status() == status, "status=" + status);
        return status;
    }

    @Override
    public boolean hide(StateKey key) {
        return change(ModelMove.HIDE, key, null, Durability.FORCED);
    }

    @Override
    public boolean reveal(StateKey key) {
        return change(ModelMove.REVEAL, key, null, Durability.FORCED);
    }

    @Override
    public void close() {
        long tick = oracle.tick();
        store.close();
        oracle.closed(tick);
    }

    private boolean change(ModelMove move, StateKey key, byte[] state, Durability durability) {
        KeyHistory.Pending operation = oracle.invoked(move, key, state == null ? null : state.clone(), durability);
        boolean answer;
        try {
            answer = StoreMoves.perform(store, move, key, state, durability);
        } catch (RuntimeException failed) {
            threw(operation, failed);
            throw failed;
        }
        oracle.returned(operation, answer);
        return answer;
    }

    // Only a documented exception promises that there was no effect; any other leaves the outcome unknown.
    private void threw(KeyHistory.Pending operation, Throwable failure) {
        oracle.checkBlame(failure);
        boolean refused = failure instanceof StoreException && !(failure instanceof OutcomeUnknownException)
                || failure instanceof IllegalArgumentException;
        if (refused) {
            oracle.refused(operation, failure);
        } else {
            oracle.unknown(operation, failure);
        }
    }

    private <T> T answer(Supplier<T> question) {
        try {
            return question.get();
        } catch (RuntimeException failed) {
            oracle.checkBlame(failed);
            throw failed;
        }
    }

    private Optional<byte[]> read(
            StateKey key, Supplier<Optional<byte[]>> read, Function<ModelImage, byte[]> readable) {
        int since = oracle.versionOf(key);
        Optional<byte[]> value = answer(read);
        byte[] bytes = value.orElse(null);
        boolean failed = store.failure().isPresent();
        oracle.seen(
                key,
                since,
                failed,
                image -> Arrays.equals(readable.apply(image), bytes),
                "value=" + ModelImage.shown(bytes));
        return value;
    }
}
