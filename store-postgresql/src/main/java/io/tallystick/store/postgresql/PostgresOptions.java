package io.tallystick.store.postgresql;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Replication;
import io.tallystick.store.StoreOption.Takeover;
import io.tallystick.store.text.DatabaseUrl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * How a {@link PostgresStore} is opened. Checked.
 *
 * @param url the database, {@code jdbc:postgresql:...}
 * @param user the user; empty for what the URL says
 * @param passwordFile a file whose first line is the password
 * @param schema the schema of the tables
 * @param nodeId whose log
 * @param isStaged whether the log is filled by a migration; a run after a loss begins at the source again
 * @param isAdopting whether the opener recovers a dead node, and never makes a log
 * @param createTables whether missing tables are made
 * @param existingExpected whether a node without a log is refused
 * @param lanes batches that are written at a time
 * @param takeover what to do with a log that was not closed
 * @param lease how long an owner must be silent
 * @param patience how long a write waits for an answer
 * @param holdsUnknown whether a caller whose outcome is unknown after an outage waits until it is known
 * @param replication what makes the second copy
 * @param maxLiveBytes records of living states on the heap
 * @param maxStateBytes the largest state
 * @param completionExecutor where stages of asynchronous writes complete
 */
record PostgresOptions(
        String url,
        Optional<String> user,
        Optional<Path> passwordFile,
        String schema,
        String nodeId,
        boolean isStaged,
        boolean isAdopting,
        boolean createTables,
        boolean existingExpected,
        int lanes,
        Takeover takeover,
        Duration lease,
        Duration patience,
        boolean holdsUnknown,
        Replication replication,
        long maxLiveBytes,
        int maxStateBytes,
        Optional<Executor> completionExecutor) {
    /** What goes into an Xid of Narayana; a longer id could not be recovered under its name. */
    private static final int MAX_NODE_ID_BYTES = 28;

    private static final long ROWS_AT_A_TIME = 32;

    private static final String URL_BEGIN = "jdbc:postgresql:";

    /** Parameters of a URL that would go before those of {@link Connections}. */
    private static final List<String> OWN_PARAMETERS =
            List.of("targetServerType", "socketTimeout", "connectTimeout", "ApplicationName", "options");

    PostgresOptions {
        if (!url.startsWith(URL_BEGIN)) {
            throw new IllegalArgumentException(StoreOption.POSTGRESQL_URL.key() + " does not begin with " + URL_BEGIN
                    + "; write it like jdbc:postgresql://db1,db2/tx");
        }
        if (url.startsWith("//", URL_BEGIN.length()) && url.indexOf('/', URL_BEGIN.length() + 2) < 0) {
            // The driver would log all of it, perhaps with a password.
            throw new IllegalArgumentException(StoreOption.POSTGRESQL_URL.key() + " has no slash behind its hosts;"
                    + " write it like jdbc:postgresql://db1,db2/tx");
        }
        for (String parameter : OWN_PARAMETERS) {
            if (url.contains('?' + parameter + '=') || url.contains('&' + parameter + '=')) {
                throw new IllegalArgumentException(StoreOption.POSTGRESQL_URL.key() + " has the parameter " + parameter
                        + ", which the store sets by itself; leave it out");
            }
        }
        if (2L * maxStateBytes > maxLiveBytes) {
            throw new IllegalArgumentException(StoreOption.MAX_LIVE_SIZE.key() + "=" + maxLiveBytes
                    + " bytes is less than twice " + StoreOption.MAX_STATE_SIZE.key() + "=" + maxStateBytes
                    + " bytes; raise it");
        }
    }

    /**
     * The options that a configuration describes.
     *
     * @throws IllegalArgumentException a key is missing, or values do not go together
     */
    static PostgresOptions from(StoreConfiguration configuration) {
        if (configuration.isSet(StoreOption.NODE_POOL) && !configuration.isSet(StoreOption.NODE_ID)) {
            throw new IllegalArgumentException(
                    StoreOption.NODE_POOL.key() + "=" + configuration.get(StoreOption.NODE_POOL)
                            + ": only a transaction manager takes its node from a pool, by NarayanaStores.install; set "
                            + StoreOption.NODE_ID.key() + " here");
        }
        String nodeId = configuration.get(StoreOption.NODE_ID);
        if (nodeId.length() > MAX_NODE_ID_BYTES) {
            throw new IllegalArgumentException(StoreOption.NODE_ID.key() + "=" + nodeId + " has " + nodeId.length()
                    + " characters; " + PostgresStore.NAME + " takes at most " + MAX_NODE_ID_BYTES
                    + ", because the id also stands in the transactions' identifiers");
        }
        return of(configuration, false);
    }

    /** As {@link #from}, for a log that a migration fills; its node is no transaction manager's. */
    static PostgresOptions ofStaged(StoreConfiguration configuration) {
        return of(configuration, true);
    }

    private static PostgresOptions of(StoreConfiguration configuration, boolean isStaged) {
        return new PostgresOptions(
                configuration.get(StoreOption.POSTGRESQL_URL),
                configuration.find(StoreOption.POSTGRESQL_USER),
                configuration.find(StoreOption.POSTGRESQL_PASSWORD_FILE),
                configuration.get(StoreOption.POSTGRESQL_SCHEMA),
                configuration.get(StoreOption.NODE_ID),
                isStaged,
                configuration.isAdopting(),
                configuration.get(StoreOption.POSTGRESQL_CREATE_TABLES),
                configuration.get(StoreOption.EXPECT_EXISTING),
                configuration.get(StoreOption.POSTGRESQL_LANES),
                configuration.get(StoreOption.TAKEOVER),
                configuration.get(StoreOption.LEASE),
                configuration.get(StoreOption.PATIENCE),
                configuration.get(StoreOption.ON_UNKNOWN_OUTCOME) == StoreOption.OnUnknownOutcome.HALT,
                configuration.get(StoreOption.REQUIRE_REPLICATION),
                configuration.get(StoreOption.MAX_LIVE_SIZE),
                Math.toIntExact(configuration.get(StoreOption.MAX_STATE_SIZE)),
                configuration.completionExecutor());
    }

    /**
     * How many batches are fetched at a time. A batch is 1 MiB, unless one record is larger. So many of those would not
     * fit into the heap.
     */
    int rowsAtATime() {
        return (int) Math.max(1, ROWS_AT_A_TIME * StoreOption.MIB / Math.max(StoreOption.MIB, maxStateBytes));
    }

    /** Whether a write is proven to be on a standby of PostgreSQL's before its caller returns. */
    boolean replicationRequired() {
        return replication == Replication.STANDBY;
    }

    /** The log in messages to users: the address without its parameters, the schema and the node. */
    String place() {
        String address = DatabaseUrl.withoutSecrets(url).substring("jdbc:".length());
        return address + " schema=" + schema + " node=" + nodeId;
    }
}
