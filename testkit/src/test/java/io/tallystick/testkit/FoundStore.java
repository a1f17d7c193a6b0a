package io.tallystick.testkit;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.testkit.oracle.ModelImage;
import io.tallystick.testkit.oracle.ModelMove;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** What a test says was found after a crash; it can be read and revealed, and nothing else. */
public final class FoundStore implements ObjectStore {
    private final Map<StateKey, ModelImage> images = new HashMap<>();

    private StateStatus lie;

    public FoundStore with(StateKey key, ModelImage image) {
        if (!image.isAbsent()) {
            images.put(key, image);
        }
        return this;
    }

    public void lieAboutStatus(StateStatus status) {
        lie = status;
    }

    @Override
    public Set<String> types() {
        return images.keySet().stream().map(StateKey::type).collect(Collectors.toSet());
    }

    @Override
    public List<StateKey> keys(String type) {
        return images.keySet().stream().filter(key -> key.type().equals(type)).toList();
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        return Optional.ofNullable(image(key).readable());
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        return Optional.ofNullable(image(key).readableShadow());
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        return lie != null ? lie : image(key).status();
    }

    @Override
    public boolean reveal(StateKey key) {
        images.computeIfPresent(key, (same, image) -> ModelMove.REVEAL.after(image, null));
        return images.containsKey(key);
    }

    @Override
    public Optional<StoreException> failure() {
        return Optional.empty();
    }

    @Override
    public void close() {
        // nothing is open
    }

    private ModelImage image(StateKey key) {
        return images.getOrDefault(key, ModelImage.ABSENT);
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void force() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void proveOwned() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean hide(StateKey key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public StoreDescription description() {
        throw new UnsupportedOperationException();
    }

    @Override
    public StoreStatistics statistics() {
        throw new UnsupportedOperationException();
    }
}
