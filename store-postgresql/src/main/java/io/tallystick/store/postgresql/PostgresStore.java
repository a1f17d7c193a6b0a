package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.log.LogStore;
import io.tallystick.store.log.ReopeningStore;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.UUID;

/** Opens stores in a database: takes the log of a node, reads it, and starts its lanes. */
final class PostgresStore {
    /** The value of {@code tallystick.store}. */
    static final String NAME = "postgresql";

    private PostgresStore() {}

    /**
     * Opens the log of a node. A store of the node itself serves again after an outage. One that adopts a log, or fills
     * a staged one, is opened again by its command.
     *
     * @throws StoreException it cannot be opened; nothing that was stored is changed
     */
    static ObjectStore open(PostgresOptions options, NanoClock clock) {
        return open(options, clock, Ranges.RANGE_BYTES);
    }

    static ObjectStore open(PostgresOptions options, NanoClock clock, long rangeBytes) {
        try {
            return OwnThread.call("tallystick-postgresql-opening", () -> openHere(options, clock, rangeBytes));
        } catch (SQLException trouble) {
            throw new StoreIoException(
                    "the log in " + options.place() + " cannot be opened: " + trouble.getMessage()
                            + "; check the server; nothing that was stored was changed",
                    trouble);
        }
    }

    private static ObjectStore openHere(PostgresOptions options, NanoClock clock, long rangeBytes) throws SQLException {
        Connections connections = new Connections(options);
        connections.checkTimes();
        Ownership ownership = new Ownership(options, connections, clock);
        LogOpening opening = new LogOpening(options, clock, connections, ownership, rangeBytes);
        LogStore store = opening.open(ownership.take());
        return options.isAdopting() || options.isStaged()
                ? store
                : ReopeningStore.over(store, opening, options.holdsUnknown(), clock);
    }

    /** The id that checksums begin with. */
    static byte[] bytesOf(UUID storeId) {
        return ByteBuffer.allocate(16)
                .putLong(storeId.getMostSignificantBits())
                .putLong(storeId.getLeastSignificantBits())
                .array();
    }
}
