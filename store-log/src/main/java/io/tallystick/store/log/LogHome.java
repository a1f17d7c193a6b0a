package io.tallystick.store.log;

import io.tallystick.storage.PlaceWatch;
import io.tallystick.store.LossMarking;
import io.tallystick.store.StoreStatistics;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** Where a log lies, owned by this process: a directory, or a place on other machines. */
public interface LogHome extends AutoCloseable {
    /** The unique id of the store. */
    UUID storeId();

    /** The node that the store belongs to; empty if it belongs to none. */
    Optional<String> nodeId();

    /** Whether this process still owns the place, as far as it knows without asking another machine. */
    boolean isOwned();

    /** Looks whether the place is still there, from now on; empty where each write finds that out. */
    default Optional<PlaceWatch> watch(PlaceWatch.User store) {
        return Optional.empty();
    }

    /** What became of the mark of a loss, where {@link #watch} is empty; never waits. */
    default LossMarking lossMarking() {
        return LossMarking.NO_LOSS;
    }

    /** What the place tells of itself, where it is on another machine; asks nothing there. */
    default Optional<StoreStatistics.Remote> remote() {
        return Optional.empty();
    }

    /** Bytes that are left there; empty if that is unknown. */
    OptionalLong usableBytes();

    /** The place in messages to users: a path, or an address. */
    String place();

    /** Gives the place up, so that another process may own it. */
    @Override
    void close() throws IOException;
}
