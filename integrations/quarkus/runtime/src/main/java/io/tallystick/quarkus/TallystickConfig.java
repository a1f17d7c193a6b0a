package io.tallystick.quarkus;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigGroup;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import java.util.Optional;

/**
 * The settings of the transaction log, {@code quarkus.tallystick.*}. Each is a key of the library with {@code
 * quarkus.} before it, and none has a default of its own: a value that is not given here is taken from the key without
 * {@code quarkus.}, and then from the library.
 *
 * <p>Quarkus knows the keys from this interface, for its documentation and to warn of others. {@link StoreSettings}
 * reads the values by their names, so that the library itself checks them.
 */
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
@ConfigMapping(prefix = StoreSettings.PREFIX_NAME)
public interface TallystickConfig {
    /** Which store: journal, or inmemory, file and postgresql, which are artifacts of their own. */
    @ConfigDocDefault("journal")
    Optional<String> store();

    /** The store's own directory. */
    @ConfigDocDefault("TallystickObjectStore below quarkus.transaction-manager.object-store.directory")
    Optional<String> directory();

    /** Whether a directory without a store is refused, as after a volume was not mounted. */
    @ConfigDocDefault("false")
    Optional<String> expectExisting();

    /** The node that the store belongs to. A directory of another node is refused. */
    @ConfigDocDefault("quarkus.transaction-manager.node-name, unless that is quarkus")
    Optional<String> nodeId();

    /** The settings of the journal. */
    Journal journal();

    /** The largest state that the store accepts. */
    @ConfigDocDefault("1MiB")
    Optional<String> maxStateSize();

    /** How finished records are removed: deferred, forced. Where it is not set, those of LRA and REST-AT are forced. */
    @ConfigDocDefault("deferred")
    Optional<String> removeDurability();

    /** The reaction to a write whose outcome is unknown: throw, halt. */
    @ConfigDocDefault("throw")
    Optional<String> onUnknownOutcome();

    /** The reaction to a log that another owner has, or whose place is gone: stop, halt. */
    @ConfigDocDefault("stop")
    Optional<String> onLostLog();

    /** The reaction to a log of Narayana's own with transactions that the store lacks: refuse, warn, ignore. */
    @ConfigDocDefault("refuse")
    Optional<String> onOldLog();

    /** Whether management clients see the store. */
    @ConfigDocDefault("false")
    Optional<String> jmx();

    /** The settings of transactions in doubt, {@code quarkus.tallystick.indoubt.*}. */
    Indoubt indoubt();

    /** What to do with a log on another machine that its owner has not closed: after-lease, at-once, never. */
    @ConfigDocDefault("after-lease")
    Optional<String> takeover();

    /** How long the owner of a log on another machine must be silent before another process takes it. */
    @ConfigDocDefault("10s")
    Optional<String> lease();

    /** How long a write to another machine may go without an answer before its outcome is unknown. */
    @ConfigDocDefault("30s")
    Optional<String> patience();

    /** What makes the second copy that a log on another machine needs: standby, service, none. */
    @ConfigDocDefault("standby")
    Optional<String> requireReplication();

    /** The living states that a store on another machine keeps on the heap. */
    @ConfigDocDefault("64MiB")
    Optional<String> maxLiveSize();

    /** The settings of the store in PostgreSQL. */
    Postgresql postgresql();

    /** The pool of node ids that this process takes one from, for the store postgresql. */
    Optional<String> nodePool();

    /** The ids of the pool, 1 to 999. */
    @ConfigDocDefault("32")
    Optional<String> nodePoolSize();

    /** A name of the application, which its pool keeps. */
    Optional<String> nodePoolApplication();

    /** How long a log of the pool must be without an owner before another process recovers it. */
    @ConfigDocDefault("5m")
    Optional<String> nodePoolRecoverAfter();

    /** A file with the arguments of java that start RecoverNode for such a log. */
    Optional<String> nodePoolRecoverWith();

    /** The settings of transactions in doubt. */
    @ConfigGroup
    interface Indoubt {
        /** Whether management clients may retry and forget transactions in doubt. */
        @ConfigDocDefault("false")
        Optional<String> settle();

        /** Another directory, which must be there, in which records are kept that people have forgotten. */
        Optional<String> keepIn();
    }

    /** The settings of the journal, {@code quarkus.tallystick.journal.*}. */
    @ConfigGroup
    interface Journal {
        /** The journal's engine: segmented, artemis. */
        @ConfigDocDefault("segmented")
        Optional<String> engine();

        /** How the journal's bytes reach the disk: auto, channel, direct, aio, uring. */
        @ConfigDocDefault("auto")
        Optional<String> io();

        /** The size of one journal file, 64KiB to 2047MiB. */
        @ConfigDocDefault("32MiB")
        Optional<String> segmentSize();

        /** The journal files that a new store makes, 4 to 4096. */
        @ConfigDocDefault("4")
        Optional<String> segments();

        /** The alignment of the journal's writes, a power of two from 512 to 64KiB. */
        @ConfigDocDefault("4KiB")
        Optional<String> blockSize();
    }

    /** The settings of the store in PostgreSQL, {@code quarkus.tallystick.postgresql.*}. */
    @ConfigGroup
    interface Postgresql {
        /** The database, required for the store postgresql. */
        Optional<String> url();

        /** The user of the database. */
        Optional<String> user();

        /** A file whose first line is the password. */
        Optional<String> passwordFile();

        /** The schema that has the tables. */
        @ConfigDocDefault("tallystick")
        Optional<String> schema();

        /** Whether schema and tables are created where they are missing. */
        @ConfigDocDefault("false")
        Optional<String> createTables();

        /** The connections that write, 1 to 8. */
        @ConfigDocDefault("2")
        Optional<String> lanes();
    }
}
