package io.tallystick.store;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** A store that management clients see from opening to closing; everything is done by the store itself. */
final class ManagedStore implements ObjectStore {
    private final ObjectStore store;
    private final StoreManagement management;

    private ManagedStore(ObjectStore store, StoreManagement management) {
        this.store = store;
        this.management = management;
    }

    static ObjectStore managing(ObjectStore store) {
        return new ManagedStore(store, StoreManagement.register(store, System::nanoTime));
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
    public Optional<StoreException> failure() {
        return store.failure();
    }

    @Override
    public void close() {
        management.unregister();
        store.close();
    }
}
