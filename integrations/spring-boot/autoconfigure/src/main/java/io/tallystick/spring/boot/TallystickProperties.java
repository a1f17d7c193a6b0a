package io.tallystick.spring.boot;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code tallystick.*}. Those of a store are texts, which the store's own reader reads: it knows the
 * units, the bounds and the defaults. A property that is not given is null here.
 *
 * @param enabled whether a store is installed in Narayana
 * @param nameResources whether XA data sources and XA connection factories are named after their beans
 */
@ConfigurationProperties("tallystick")
record TallystickProperties(
        @DefaultValue("true") boolean enabled,
        String store,
        String directory,
        Boolean expectExisting,
        String nodeId,
        @DefaultValue Journal journal,
        String maxStateSize,
        String removeDurability,
        String onUnknownOutcome,
        String onLostLog,
        String onOldLog,
        Boolean jmx,
        @DefaultValue Indoubt indoubt,
        String takeover,
        String lease,
        String patience,
        String requireReplication,
        String maxLiveSize,
        @DefaultValue Postgresql postgresql,
        String nodePool,
        Integer nodePoolSize,
        String nodePoolApplication,
        String nodePoolRecoverAfter,
        String nodePoolRecoverWith,
        String configurationFile,
        @DefaultValue("true") boolean nameResources,
        @DefaultValue Drain drain,
        @DefaultValue Reaper reaper) {

    /** The properties of the journal store. */
    record Journal(String engine, String io, String segmentSize, Integer segments, String blockSize) {}

    /** The properties of the transactions in doubt. */
    record Indoubt(Boolean settle, String keepIn) {}

    /** The properties of the store in PostgreSQL. */
    record Postgresql(
            String url, String user, String passwordFile, String schema, Boolean createTables, Integer lanes) {}

    /**
     * The properties of the drain.
     *
     * @param onShutdown whether the log is emptied when the context is closed
     * @param timeout how long this may take
     */
    record Drain(
            @DefaultValue("false") boolean onShutdown,
            @DefaultValue("120s") Duration timeout) {}

    /**
     * The properties of the reaper.
     *
     * @param enabled whether our reaper keeps the transactions' time limits
     */
    record Reaper(
            @DefaultValue("false") boolean enabled,
            String precision,
            Integer workers,
            String wedgedAfter,
            Integer maxWedgedWorkers,
            String stackCaptureLead,
            String closeMode,
            String closeTimeout) {
        /** The texts of the properties that are given, by their keys. */
        Map<String, String> given() {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("precision", precision);
            values.put("workers", workers);
            values.put("wedged-after", wedgedAfter);
            values.put("max-wedged-workers", maxWedgedWorkers);
            values.put("stack-capture-lead", stackCaptureLead);
            values.put("close-mode", closeMode);
            values.put("close-timeout", closeTimeout);
            Map<String, String> given = new LinkedHashMap<>();
            values.forEach((name, value) -> {
                if (value != null) {
                    given.put("tallystick.reaper." + name, value.toString());
                }
            });
            return given;
        }
    }

    /**
     * The configuration of the store.
     *
     * @param ofServices variables of Kubernetes that look like settings: the store names them
     * @param ofOtherStores texts of the options of stores and engines of other libraries, by their keys
     * @throws IllegalArgumentException a value is none of its property, or two of them contradict each other
     * @throws io.tallystick.store.StoreIoException {@code tallystick.configuration-file} cannot be read
     */
    StoreConfiguration toConfiguration(Map<String, String> ofServices, Map<String, String> ofOtherStores) {
        StoreConfiguration.Builder builder = StoreConfiguration.builder().withVariables(ofServices);
        ofOtherStores.forEach(builder::set);
        set(builder, StoreOption.STORE, store);
        set(builder, StoreOption.DIRECTORY, directory);
        set(builder, StoreOption.EXPECT_EXISTING, expectExisting);
        set(builder, StoreOption.NODE_ID, nodeId);
        set(builder, StoreOption.JOURNAL_ENGINE, journal.engine);
        set(builder, StoreOption.JOURNAL_IO, journal.io);
        set(builder, StoreOption.JOURNAL_SEGMENT_SIZE, journal.segmentSize);
        set(builder, StoreOption.JOURNAL_SEGMENTS, journal.segments);
        set(builder, StoreOption.JOURNAL_BLOCK_SIZE, journal.blockSize);
        set(builder, StoreOption.MAX_STATE_SIZE, maxStateSize);
        set(builder, StoreOption.REMOVE_DURABILITY, removeDurability);
        set(builder, StoreOption.ON_UNKNOWN_OUTCOME, onUnknownOutcome);
        set(builder, StoreOption.ON_LOST_LOG, onLostLog);
        set(builder, StoreOption.ON_OLD_LOG, onOldLog);
        set(builder, StoreOption.JMX, jmx);
        set(builder, StoreOption.INDOUBT_SETTLE, indoubt.settle);
        set(builder, StoreOption.INDOUBT_KEEP_IN, indoubt.keepIn);
        set(builder, StoreOption.TAKEOVER, takeover);
        set(builder, StoreOption.LEASE, lease);
        set(builder, StoreOption.PATIENCE, patience);
        set(builder, StoreOption.REQUIRE_REPLICATION, requireReplication);
        set(builder, StoreOption.MAX_LIVE_SIZE, maxLiveSize);
        set(builder, StoreOption.POSTGRESQL_URL, postgresql.url);
        set(builder, StoreOption.POSTGRESQL_USER, postgresql.user);
        set(builder, StoreOption.POSTGRESQL_PASSWORD_FILE, postgresql.passwordFile);
        set(builder, StoreOption.POSTGRESQL_SCHEMA, postgresql.schema);
        set(builder, StoreOption.POSTGRESQL_CREATE_TABLES, postgresql.createTables);
        set(builder, StoreOption.POSTGRESQL_LANES, postgresql.lanes);
        set(builder, StoreOption.NODE_POOL, nodePool);
        set(builder, StoreOption.NODE_POOL_SIZE, nodePoolSize);
        set(builder, StoreOption.NODE_POOL_APPLICATION, nodePoolApplication);
        set(builder, StoreOption.NODE_POOL_RECOVER_AFTER, nodePoolRecoverAfter);
        set(builder, StoreOption.NODE_POOL_RECOVER_WITH, nodePoolRecoverWith);
        if (configurationFile != null) {
            builder.withFile(Path.of(configurationFile));
        }
        return builder.build();
    }

    private static void set(StoreConfiguration.Builder builder, StoreOption<?> option, Object value) {
        if (value != null) {
            builder.set(option.key(), value.toString());
        }
    }
}
