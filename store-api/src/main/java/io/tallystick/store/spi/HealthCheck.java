package io.tallystick.store.spi;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreHealth;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** Finds out the health of a store, and remembers the records that it has seen. For any number of threads. */
public final class HealthCheck {
    private final ObjectStore store;
    private final RecordAges ages = new RecordAges();
    private volatile boolean isDraining;

    /** A check of this store, which is not asked yet and may be under construction. */
    public HealthCheck(ObjectStore store) {
        this.store = Objects.requireNonNull(store, "store");
    }

    /** Keeps the argument of {@link ObjectStore#setDraining}; the health shows it from now on. */
    public void setDraining(boolean draining) {
        isDraining = draining;
    }

    /**
     * The health of the store now; never throws because it is closed or has failed.
     *
     * @param nowNanos monotonic time, nanoseconds
     * @param lastForceAge how long ago the disk last said that everything is on it; empty before the first time, and
     *     in memory
     * @param place the place of the store, as far as it is known
     */
    public StoreHealth at(long nowNanos, Optional<Duration> lastForceAge, Place place) {
        StoreHealth.State state;
        Optional<StoreException> failure = Optional.empty();
        Optional<Duration> oldest = Optional.empty();
        try {
            failure = store.failure();
            state = failure.isPresent() ? StoreHealth.State.FAILED : sound();
            oldest = ages.oldest(store, nowNanos);
        } catch (StoreClosedException closed) {
            state = StoreHealth.State.CLOSED;
        } catch (StoreException lost) { // it does not say any more that a record is gone
            state = StoreHealth.State.FAILED;
            failure = Optional.of(failure.orElse(lost));
        }
        return new StoreHealth(
                state,
                failure,
                state != StoreHealth.State.CLOSED && place.hasLock,
                lastForceAge,
                place.usableBytes,
                oldest,
                place.storeId,
                place.nodeId);
    }

    private StoreHealth.State sound() {
        return isDraining ? StoreHealth.State.DRAINING : StoreHealth.State.OPEN;
    }

    /**
     * The place of a store.
     *
     * @param hasLock whether no other owner can have the store while it is open
     * @param usableBytes room that is left, bytes; empty where it is not known
     * @param storeId the store's unique id; empty in memory
     * @param nodeId the node that the store belongs to; empty where it belongs to none
     */
    public record Place(boolean hasLock, OptionalLong usableBytes, Optional<UUID> storeId, Optional<String> nodeId) {
        /** The memory of this process, which no other process shares. */
        public static final Place MEMORY = new Place(true, OptionalLong.empty(), Optional.empty(), Optional.empty());

        public Place {
            Objects.requireNonNull(usableBytes, "usableBytes");
            Objects.requireNonNull(storeId, "storeId");
            Objects.requireNonNull(nodeId, "nodeId");
        }
    }
}
