package io.tallystick.store.inmemory;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.spi.HealthCheck;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.TypeCounts;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;

/**
 * A store in the memory of this process, for tests and for measuring what a transaction costs without a disk. It keeps
 * the whole contract, but nothing survives {@link #close}: {@link Durability#FORCED} promises no more than
 * {@link Durability#DEFERRED} here. It owns no thread, no file and no directory.
 *
 * <p>The first write of a key is one operation on a concurrent map. A removal is a look and one operation. Lists,
 * records and bytes are found by walking the map when a caller asks. Only the keys of each type are counted as they
 * come and go.
 */
public final class InMemoryStore implements ObjectStore {
    static final String NAME = "inmemory";

    private static final int DEFAULT_MAX_STATE_BYTES =
            Math.toIntExact(StoreOption.MAX_STATE_SIZE.defaultValue().orElseThrow());
    private static final StoreDescription DESCRIPTION = new StoreDescription(
            NAME, Optional.empty(), Optional.empty(), Optional.empty(), "nothing survives the process");

    private final int maxStateBytes;
    private final ConcurrentHashMap<StateKey, StateImage> images = new ConcurrentHashMap<>();
    private final TypeCounts counts = new TypeCounts();
    private final LongAdder writes = new LongAdder();
    private final LongAdder removes = new LongAdder();
    private final LongAdder reads = new LongAdder();
    private final HealthCheck healthCheck = new HealthCheck(this);

    private volatile boolean closed;

    private InMemoryStore(int maxStateBytes) {
        this.maxStateBytes = maxStateBytes;
    }

    /** An empty store that takes states of up to the default of {@link StoreOption#MAX_STATE_SIZE}. */
    public static InMemoryStore open() {
        return open(DEFAULT_MAX_STATE_BYTES);
    }

    /**
     * An empty store.
     *
     * @param maxStateBytes the largest state that it takes, bytes
     * @throws IllegalArgumentException it is negative
     */
    public static InMemoryStore open(int maxStateBytes) {
        if (maxStateBytes < 0) {
            throw new IllegalArgumentException("maxStateBytes=" + maxStateBytes + " is negative");
        }
        return new InMemoryStore(maxStateBytes);
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        Objects.requireNonNull(durability, "durability");
        StateImage first = StateImage.ABSENT.write(copyOf(state));
        checkOpen();
        StateImage before = putIfAbsent(key, first);
        while (before != null && !swap(key, before, before.write(first.committed()))) {
            before = putIfAbsent(key, first);
        }
        writes.increment();
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        write(key, state, Durability.FORCED);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        return moved(key, durability, StateImage::remove, removes);
    }

    @Override
    public void force() {
        checkOpen();
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        byte[] copy = copyOf(state);
        moved(key, durability, image -> image.writeShadow(copy), writes);
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        StateImage image = imageOf(key);
        return found(image.isHidden() ? null : image.shadow());
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        return moved(key, durability, StateImage::commitShadow, writes);
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        return moved(key, durability, StateImage::discardShadow, removes);
    }

    @Override
    public Set<String> types() {
        Set<String> types = new HashSet<>();
        images.keySet().forEach(key -> types.add(key.type()));
        checkOpen();
        return types;
    }

    @Override
    public List<StateKey> keys(String type) {
        return keys(type, Integer.MAX_VALUE);
    }

    @Override
    public List<StateKey> keys(String type, int atMost) {
        Objects.requireNonNull(type, "type");
        List<StateKey> keys = images.keySet().stream()
                .filter(key -> key.type().equals(type))
                .limit(atMost)
                .toList();
        checkOpen();
        return keys;
    }

    @Override
    public Map<String, Integer> countByType() {
        Map<String, Integer> snapshot = counts.snapshot();
        checkOpen();
        return snapshot;
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        StateImage image = imageOf(key);
        return found(image.isHidden() ? null : image.committed());
    }

    /** Nobody else can have it. */
    @Override
    public void proveOwned() {
        checkOpen();
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        return imageOf(key).status();
    }

    @Override
    public boolean hide(StateKey key) {
        return marked(key, StateImage::hide);
    }

    @Override
    public boolean reveal(StateKey key) {
        return marked(key, StateImage::reveal);
    }

    @Override
    public StoreDescription description() {
        return DESCRIPTION;
    }

    /**
     * As in every store; records and bytes are counted by walking the store, so this takes time in proportion to it.
     */
    @Override
    public StoreStatistics statistics() {
        long records = 0;
        long bytes = 0;
        for (StateImage image : images.values()) {
            records++;
            bytes += image.bytes();
        }
        return new StoreStatistics(
                records, bytes, writes.sum(), removes.sum(), reads.sum(), 0, 0, 0, StoreStatistics.Latency.NONE);
    }

    @Override
    public Optional<StoreException> failure() {
        checkOpen();
        return Optional.empty();
    }

    @Override
    public void setDraining(boolean draining) {
        healthCheck.setDraining(draining);
    }

    @Override
    public StoreHealth health() {
        return healthCheck.at(System.nanoTime(), Optional.empty(), HealthCheck.Place.MEMORY);
    }

    /** Ends the store and drops all states. */
    @Override
    public void close() {
        closed = true;
        images.clear();
    }

    /** Moves the key's image and counts it, unless the move changes nothing. */
    private boolean moved(StateKey key, Durability durability, UnaryOperator<StateImage> move, LongAdder counter) {
        Objects.requireNonNull(durability, "durability");
        while (true) {
            StateImage before = imageOf(key);
            StateImage after = move.apply(before);
            if (after == before) {
                return false;
            }
            if (swap(key, before, after)) {
                counter.increment();
                return true;
            }
        }
    }

    /** Moves the key's image; returns whether the key exists. */
    private boolean marked(StateKey key, UnaryOperator<StateImage> move) {
        while (true) {
            StateImage before = imageOf(key);
            StateImage after = move.apply(before);
            if (after == before || swap(key, before, after)) {
                return !before.isAbsent();
            }
        }
    }

    private boolean swap(StateKey key, StateImage before, StateImage after) {
        if (before.isAbsent()) {
            return putIfAbsent(key, after) == null;
        }
        if (!after.isAbsent()) {
            return images.replace(key, before, after);
        }
        boolean removed = images.remove(key, before);
        if (removed) {
            counts.changed(key, -1);
        }
        return removed;
    }

    private StateImage putIfAbsent(StateKey key, StateImage image) {
        StateImage before = images.putIfAbsent(key, image);
        if (before == null) {
            counts.changed(key, 1);
        }
        return before;
    }

    private StateImage imageOf(StateKey key) {
        StateImage image = images.get(key);
        checkOpen();
        return image == null ? StateImage.ABSENT : image;
    }

    private Optional<byte[]> found(byte[] value) {
        if (value == null) {
            return Optional.empty();
        }
        reads.increment();
        return Optional.of(value.clone());
    }

    private byte[] copyOf(byte[] state) {
        if (state.length > maxStateBytes) {
            throw new IllegalArgumentException("state has length=" + state.length + " bytes; the maximum is "
                    + maxStateBytes + ", set " + StoreOption.MAX_STATE_SIZE.key() + " for larger ones");
        }
        return state.clone();
    }

    // Called after a look into the map: closing sets the flag and then empties the map, so a missing key may have been
    // there.
    private void checkOpen() {
        if (closed) {
            throw new StoreClosedException("store=inmemory was closed; open another one");
        }
    }
}
