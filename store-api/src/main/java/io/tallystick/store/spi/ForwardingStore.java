package io.tallystick.store.spi;

import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreStatistics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Another store, to be changed in a few places: every method hands on to it, with its promises and errors. */
public abstract class ForwardingStore implements ObjectStore {
    /** The store that every method hands on to. */
    protected final ObjectStore store;

    /** Hands on to this store. */
    protected ForwardingStore(ObjectStore store) {
        this.store = Objects.requireNonNull(store, "store");
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        store.write(key, state, durability);
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        return store.writeAsync(key, state);
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        return store.remove(key, durability);
    }

    @Override
    public void force() {
        store.force();
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        store.writeShadow(key, state, durability);
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        return store.readShadow(key);
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        return store.commitShadow(key, durability);
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        return store.discardShadow(key, durability);
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
    public List<StateKey> keys(String type, int atMost) {
        return store.keys(type, atMost);
    }

    @Override
    public Map<String, Integer> countByType() {
        return store.countByType();
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
        return store.hide(key);
    }

    @Override
    public boolean reveal(StateKey key) {
        return store.reveal(key);
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
    public StoreHealth health() {
        return store.health();
    }

    @Override
    public void proveOwned() {
        store.proveOwned();
    }

    @Override
    public LossMarking lossMarking() {
        return store.lossMarking();
    }

    @Override
    public void setDraining(boolean draining) {
        store.setDraining(draining);
    }

    @Override
    public Optional<StoreException> failure() {
        return store.failure();
    }

    @Override
    public void close() {
        store.close();
    }
}
