package io.tallystick.narayana;

import com.arjuna.common.internal.util.propertyservice.FullPropertyName;
import com.arjuna.common.internal.util.propertyservice.PropertyPrefix;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The settings of {@link TallystickObjectStore} as a bean of Narayana. It has one property for each key of this
 * library's stores, with the same text for a value. The key {@code tallystick.journal.segment-size}, for example, is
 * the property {@code journalSegmentSize}. A property that is null is not set: system properties, the environment, the
 * file named there and the default follow, in this order.
 *
 * <p>Narayana fills a bean once. It takes each value from the first of these keys that is set, in system properties or
 * in its properties file ({@code jbossts-properties.xml}):
 *
 * <pre>
 * io.tallystick.narayana.TallystickStoreEnvironmentBean[.role].journalIo
 * TallystickStoreEnvironmentBean[.role].journalIo
 * tallystick.journal.io
 * </pre>
 *
 * where the role is {@code stateStore} or {@code communicationStore}, and none for the log. Only the last form
 * reaches all three roles, and roles that share a directory must agree; so it is the one to use.
 *
 * <p>A key of another library's store or engine has no property: only its last form is read, and {@link #setOption}
 * sets it in code.
 *
 * <p>Values are checked when the store is opened.
 */
@PropertyPrefix(prefix = "tallystick.")
public class TallystickStoreEnvironmentBean {
    @FullPropertyName(name = "tallystick.store")
    private volatile String store;

    @FullPropertyName(name = "tallystick.directory")
    private volatile String directory;

    @FullPropertyName(name = "tallystick.expect-existing")
    private volatile String expectExisting;

    @FullPropertyName(name = "tallystick.node-id")
    private volatile String nodeId;

    @FullPropertyName(name = "tallystick.journal.engine")
    private volatile String journalEngine;

    @FullPropertyName(name = "tallystick.journal.io")
    private volatile String journalIo;

    @FullPropertyName(name = "tallystick.journal.segment-size")
    private volatile String journalSegmentSize;

    @FullPropertyName(name = "tallystick.journal.segments")
    private volatile String journalSegments;

    @FullPropertyName(name = "tallystick.journal.block-size")
    private volatile String journalBlockSize;

    @FullPropertyName(name = "tallystick.max-state-size")
    private volatile String maxStateSize;

    @FullPropertyName(name = "tallystick.remove-durability")
    private volatile String removeDurability;

    @FullPropertyName(name = "tallystick.on-unknown-outcome")
    private volatile String onUnknownOutcome;

    @FullPropertyName(name = "tallystick.on-lost-log")
    private volatile String onLostLog;

    @FullPropertyName(name = "tallystick.on-old-log")
    private volatile String onOldLog;

    @FullPropertyName(name = "tallystick.jmx")
    private volatile String jmx;

    @FullPropertyName(name = "tallystick.indoubt.settle")
    private volatile String indoubtSettle;

    @FullPropertyName(name = "tallystick.indoubt.keep-in")
    private volatile String indoubtKeepIn;

    @FullPropertyName(name = "tallystick.takeover")
    private volatile String takeover;

    @FullPropertyName(name = "tallystick.lease")
    private volatile String lease;

    @FullPropertyName(name = "tallystick.patience")
    private volatile String patience;

    @FullPropertyName(name = "tallystick.require-replication")
    private volatile String requireReplication;

    @FullPropertyName(name = "tallystick.max-live-size")
    private volatile String maxLiveSize;

    @FullPropertyName(name = "tallystick.postgresql.url")
    private volatile String postgresqlUrl;

    @FullPropertyName(name = "tallystick.postgresql.user")
    private volatile String postgresqlUser;

    @FullPropertyName(name = "tallystick.postgresql.password-file")
    private volatile String postgresqlPasswordFile;

    @FullPropertyName(name = "tallystick.postgresql.schema")
    private volatile String postgresqlSchema;

    @FullPropertyName(name = "tallystick.postgresql.create-tables")
    private volatile String postgresqlCreateTables;

    @FullPropertyName(name = "tallystick.postgresql.lanes")
    private volatile String postgresqlLanes;

    @FullPropertyName(name = "tallystick.node-pool")
    private volatile String nodePool;

    @FullPropertyName(name = "tallystick.node-pool-size")
    private volatile String nodePoolSize;

    @FullPropertyName(name = "tallystick.node-pool-application")
    private volatile String nodePoolApplication;

    @FullPropertyName(name = "tallystick.node-pool-recover-after")
    private volatile String nodePoolRecoverAfter;

    @FullPropertyName(name = "tallystick.node-pool-recover-with")
    private volatile String nodePoolRecoverWith;

    private final Map<String, String> options = new ConcurrentHashMap<>();

    /** Nothing is set. */
    public TallystickStoreEnvironmentBean() {}

    /** Sets any key by its text, also one of another library's store; it goes before the property of the same key. */
    public void setOption(String key, String text) {
        options.put(key, text);
    }

    /** {@code tallystick.store}: which store; null where it is not set. */
    public String getStore() {
        return store;
    }

    /** Sets {@code tallystick.store}. */
    public void setStore(String store) {
        this.store = store;
    }

    /** {@code tallystick.directory}: the store's own directory; null where it is not set. */
    public String getDirectory() {
        return directory;
    }

    /** Sets {@code tallystick.directory}. */
    public void setDirectory(String directory) {
        this.directory = directory;
    }

    /** {@code tallystick.expect-existing}: whether a directory without a store is refused; null where it is not set. */
    public String getExpectExisting() {
        return expectExisting;
    }

    /** Sets {@code tallystick.expect-existing}. */
    public void setExpectExisting(String expectExisting) {
        this.expectExisting = expectExisting;
    }

    /** {@code tallystick.node-id}: the node that the store belongs to; null where it is not set. */
    public String getNodeId() {
        return nodeId;
    }

    /** Sets {@code tallystick.node-id}. */
    public void setNodeId(String nodeId) {
        this.nodeId = nodeId;
    }

    /** {@code tallystick.journal.engine}: the journal's engine; null where it is not set. */
    public String getJournalEngine() {
        return journalEngine;
    }

    /** Sets {@code tallystick.journal.engine}. */
    public void setJournalEngine(String journalEngine) {
        this.journalEngine = journalEngine;
    }

    /** {@code tallystick.journal.io}: how the journal's bytes reach the disk; null where it is not set. */
    public String getJournalIo() {
        return journalIo;
    }

    /** Sets {@code tallystick.journal.io}. */
    public void setJournalIo(String journalIo) {
        this.journalIo = journalIo;
    }

    /** {@code tallystick.journal.segment-size}: size of one journal file; null where it is not set. */
    public String getJournalSegmentSize() {
        return journalSegmentSize;
    }

    /** Sets {@code tallystick.journal.segment-size}. */
    public void setJournalSegmentSize(String journalSegmentSize) {
        this.journalSegmentSize = journalSegmentSize;
    }

    /** {@code tallystick.journal.segments}: journal files made when a store is created; null where it is not set. */
    public String getJournalSegments() {
        return journalSegments;
    }

    /** Sets {@code tallystick.journal.segments}. */
    public void setJournalSegments(String journalSegments) {
        this.journalSegments = journalSegments;
    }

    /** {@code tallystick.journal.block-size}: alignment of the journal's writes; null where it is not set. */
    public String getJournalBlockSize() {
        return journalBlockSize;
    }

    /** Sets {@code tallystick.journal.block-size}. */
    public void setJournalBlockSize(String journalBlockSize) {
        this.journalBlockSize = journalBlockSize;
    }

    /** {@code tallystick.max-state-size}: the largest state; null where it is not set. */
    public String getMaxStateSize() {
        return maxStateSize;
    }

    /** Sets {@code tallystick.max-state-size}. */
    public void setMaxStateSize(String maxStateSize) {
        this.maxStateSize = maxStateSize;
    }

    /** {@code tallystick.remove-durability}: whether a removal waits for the disk; null where it is not set. */
    public String getRemoveDurability() {
        return removeDurability;
    }

    /** Sets {@code tallystick.remove-durability}. */
    public void setRemoveDurability(String removeDurability) {
        this.removeDurability = removeDurability;
    }

    /**
     * {@code tallystick.on-unknown-outcome}: the reaction to a write whose outcome is unknown; null where it is
     * not set.
     */
    public String getOnUnknownOutcome() {
        return onUnknownOutcome;
    }

    /** Sets {@code tallystick.on-unknown-outcome}. */
    public void setOnUnknownOutcome(String onUnknownOutcome) {
        this.onUnknownOutcome = onUnknownOutcome;
    }

    /** {@code tallystick.on-lost-log}: the reaction to the loss of the log; null where it is not set. */
    public String getOnLostLog() {
        return onLostLog;
    }

    /** Sets {@code tallystick.on-lost-log}. */
    public void setOnLostLog(String onLostLog) {
        this.onLostLog = onLostLog;
    }

    /** {@code tallystick.on-old-log}: the reaction to a log of Narayana's own; null where it is not set. */
    public String getOnOldLog() {
        return onOldLog;
    }

    /** Sets {@code tallystick.on-old-log}. */
    public void setOnOldLog(String onOldLog) {
        this.onOldLog = onOldLog;
    }

    /** {@code tallystick.jmx}: whether management clients see the store; null where it is not set. */
    public String getJmx() {
        return jmx;
    }

    /** Sets {@code tallystick.jmx}. */
    public void setJmx(String jmx) {
        this.jmx = jmx;
    }

    /** {@code tallystick.indoubt.settle}: whether people settle in the running process; null where it is not set. */
    public String getIndoubtSettle() {
        return indoubtSettle;
    }

    /** Sets {@code tallystick.indoubt.settle}. */
    public void setIndoubtSettle(String indoubtSettle) {
        this.indoubtSettle = indoubtSettle;
    }

    /** {@code tallystick.indoubt.keep-in}: a directory for forgotten records; null where it is not set. */
    public String getIndoubtKeepIn() {
        return indoubtKeepIn;
    }

    /** Sets {@code tallystick.indoubt.keep-in}. */
    public void setIndoubtKeepIn(String indoubtKeepIn) {
        this.indoubtKeepIn = indoubtKeepIn;
    }

    /** {@code tallystick.takeover}: what to do with a remote log that was not closed; null where it is not set. */
    public String getTakeover() {
        return takeover;
    }

    /** Sets {@code tallystick.takeover}. */
    public void setTakeover(String takeover) {
        this.takeover = takeover;
    }

    /** {@code tallystick.lease}: how long its owner must be silent; null where it is not set. */
    public String getLease() {
        return lease;
    }

    /** Sets {@code tallystick.lease}. */
    public void setLease(String lease) {
        this.lease = lease;
    }

    /** {@code tallystick.patience}: how long a write waits for another machine; null where it is not set. */
    public String getPatience() {
        return patience;
    }

    /** Sets {@code tallystick.patience}. */
    public void setPatience(String patience) {
        this.patience = patience;
    }

    /** {@code tallystick.require-replication}: standby, service or none; null where it is not set. */
    public String getRequireReplication() {
        return requireReplication;
    }

    /** Sets {@code tallystick.require-replication}. */
    public void setRequireReplication(String requireReplication) {
        this.requireReplication = requireReplication;
    }

    /** {@code tallystick.max-live-size}: living records that it keeps on the heap; null where it is not set. */
    public String getMaxLiveSize() {
        return maxLiveSize;
    }

    /** Sets {@code tallystick.max-live-size}. */
    public void setMaxLiveSize(String maxLiveSize) {
        this.maxLiveSize = maxLiveSize;
    }

    /** {@code tallystick.postgresql.url}: the database; null where it is not set. */
    public String getPostgresqlUrl() {
        return postgresqlUrl;
    }

    /** Sets {@code tallystick.postgresql.url}. */
    public void setPostgresqlUrl(String postgresqlUrl) {
        this.postgresqlUrl = postgresqlUrl;
    }

    /** {@code tallystick.postgresql.user}: its user; null where it is not set. */
    public String getPostgresqlUser() {
        return postgresqlUser;
    }

    /** Sets {@code tallystick.postgresql.user}. */
    public void setPostgresqlUser(String postgresqlUser) {
        this.postgresqlUser = postgresqlUser;
    }

    /** {@code tallystick.postgresql.password-file}: the file with the password; null where it is not set. */
    public String getPostgresqlPasswordFile() {
        return postgresqlPasswordFile;
    }

    /** Sets {@code tallystick.postgresql.password-file}. */
    public void setPostgresqlPasswordFile(String postgresqlPasswordFile) {
        this.postgresqlPasswordFile = postgresqlPasswordFile;
    }

    /** {@code tallystick.postgresql.schema}: the schema of the tables; null where it is not set. */
    public String getPostgresqlSchema() {
        return postgresqlSchema;
    }

    /** Sets {@code tallystick.postgresql.schema}. */
    public void setPostgresqlSchema(String postgresqlSchema) {
        this.postgresqlSchema = postgresqlSchema;
    }

    /** {@code tallystick.postgresql.create-tables}: whether missing tables are made; null where it is not set. */
    public String getPostgresqlCreateTables() {
        return postgresqlCreateTables;
    }

    /** Sets {@code tallystick.postgresql.create-tables}. */
    public void setPostgresqlCreateTables(String postgresqlCreateTables) {
        this.postgresqlCreateTables = postgresqlCreateTables;
    }

    /** {@code tallystick.postgresql.lanes}: batches that are written at a time; null where it is not set. */
    public String getPostgresqlLanes() {
        return postgresqlLanes;
    }

    /** Sets {@code tallystick.postgresql.lanes}. */
    public void setPostgresqlLanes(String postgresqlLanes) {
        this.postgresqlLanes = postgresqlLanes;
    }

    /** {@code tallystick.node-pool}: the pool that this process takes its node from; null where it is not set. */
    public String getNodePool() {
        return nodePool;
    }

    /** Sets {@code tallystick.node-pool}. */
    public void setNodePool(String nodePool) {
        this.nodePool = nodePool;
    }

    /** {@code tallystick.node-pool-size}: how many ids the pool has; null where it is not set. */
    public String getNodePoolSize() {
        return nodePoolSize;
    }

    /** Sets {@code tallystick.node-pool-size}. */
    public void setNodePoolSize(String nodePoolSize) {
        this.nodePoolSize = nodePoolSize;
    }

    /** {@code tallystick.node-pool-application}: whose pool it is; null where it is not set. */
    public String getNodePoolApplication() {
        return nodePoolApplication;
    }

    /** Sets {@code tallystick.node-pool-application}. */
    public void setNodePoolApplication(String nodePoolApplication) {
        this.nodePoolApplication = nodePoolApplication;
    }

    /** {@code tallystick.node-pool-recover-after}: when a log nobody has is recovered; null where it is not set. */
    public String getNodePoolRecoverAfter() {
        return nodePoolRecoverAfter;
    }

    /** Sets {@code tallystick.node-pool-recover-after}. */
    public void setNodePoolRecoverAfter(String nodePoolRecoverAfter) {
        this.nodePoolRecoverAfter = nodePoolRecoverAfter;
    }

    /** {@code tallystick.node-pool-recover-with}: how it is recovered; null where it is not set. */
    public String getNodePoolRecoverWith() {
        return nodePoolRecoverWith;
    }

    /** Sets {@code tallystick.node-pool-recover-with}. */
    public void setNodePoolRecoverWith(String nodePoolRecoverWith) {
        this.nodePoolRecoverWith = nodePoolRecoverWith;
    }

    /**
     * Sets in the builder the properties that are set here.
     *
     * @throws IllegalArgumentException a bad value, naming its key
     */
    void applyTo(StoreConfiguration.Builder builder) {
        apply(builder, StoreOption.STORE, store);
        apply(builder, StoreOption.DIRECTORY, directory);
        apply(builder, StoreOption.EXPECT_EXISTING, expectExisting);
        apply(builder, StoreOption.NODE_ID, nodeId);
        apply(builder, StoreOption.JOURNAL_ENGINE, journalEngine);
        apply(builder, StoreOption.JOURNAL_IO, journalIo);
        apply(builder, StoreOption.JOURNAL_SEGMENT_SIZE, journalSegmentSize);
        apply(builder, StoreOption.JOURNAL_SEGMENTS, journalSegments);
        apply(builder, StoreOption.JOURNAL_BLOCK_SIZE, journalBlockSize);
        apply(builder, StoreOption.MAX_STATE_SIZE, maxStateSize);
        apply(builder, StoreOption.REMOVE_DURABILITY, removeDurability);
        apply(builder, StoreOption.ON_UNKNOWN_OUTCOME, onUnknownOutcome);
        apply(builder, StoreOption.ON_LOST_LOG, onLostLog);
        apply(builder, StoreOption.ON_OLD_LOG, onOldLog);
        apply(builder, StoreOption.JMX, jmx);
        apply(builder, StoreOption.INDOUBT_SETTLE, indoubtSettle);
        apply(builder, StoreOption.INDOUBT_KEEP_IN, indoubtKeepIn);
        apply(builder, StoreOption.TAKEOVER, takeover);
        apply(builder, StoreOption.LEASE, lease);
        apply(builder, StoreOption.PATIENCE, patience);
        apply(builder, StoreOption.REQUIRE_REPLICATION, requireReplication);
        apply(builder, StoreOption.MAX_LIVE_SIZE, maxLiveSize);
        apply(builder, StoreOption.POSTGRESQL_URL, postgresqlUrl);
        apply(builder, StoreOption.POSTGRESQL_USER, postgresqlUser);
        apply(builder, StoreOption.POSTGRESQL_PASSWORD_FILE, postgresqlPasswordFile);
        apply(builder, StoreOption.POSTGRESQL_SCHEMA, postgresqlSchema);
        apply(builder, StoreOption.POSTGRESQL_CREATE_TABLES, postgresqlCreateTables);
        apply(builder, StoreOption.POSTGRESQL_LANES, postgresqlLanes);
        apply(builder, StoreOption.NODE_POOL, nodePool);
        apply(builder, StoreOption.NODE_POOL_SIZE, nodePoolSize);
        apply(builder, StoreOption.NODE_POOL_APPLICATION, nodePoolApplication);
        apply(builder, StoreOption.NODE_POOL_RECOVER_AFTER, nodePoolRecoverAfter);
        apply(builder, StoreOption.NODE_POOL_RECOVER_WITH, nodePoolRecoverWith);
        options.forEach(builder::set);
    }

    private static void apply(StoreConfiguration.Builder builder, StoreOption<?> option, String text) {
        if (text != null) {
            builder.set(option.key(), text);
        }
    }
}
