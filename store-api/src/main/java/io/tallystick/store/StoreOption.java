package io.tallystick.store;

import io.tallystick.store.settings.Setting;
import io.tallystick.store.settings.SettingFamily;
import io.tallystick.store.settings.ValueReaders;
import io.tallystick.store.spi.ObjectStoreProvider;
import io.tallystick.store.text.DatabaseUrl;
import io.tallystick.store.text.Printable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One configuration key: its name, the reader of its text, its default, and its effect. The keys of this library's
 * stores are constants here. Other stores and engines declare theirs ({@link ObjectStoreProvider#options}), so an
 * unknown key is always found.
 *
 * @param <T> the type of the value that the text stands for
 */
public final class StoreOption<T> {
    /** One kibibyte, bytes. */
    public static final long KIB = 1024;
    /** One mebibyte, bytes. */
    public static final long MIB = 1024 * KIB;
    /** One gibibyte, bytes. */
    public static final long GIB = 1024 * MIB;

    /** The names of this library's stores. */
    static final List<String> OWN_STORES = List.of("inmemory", "file", "journal", "postgresql");

    private static final List<String> OWN_ENGINES = List.of("segmented", "artemis");
    private static final List<String> OWN_IO = List.of("auto", "channel", "direct", "aio", "uring");
    private static final List<String> OF_OTHER_MODULES = List.of("tallystick.reaper.", "tallystick.bench.");
    private static final List<String> VARIABLES_OF_OTHERS = // Kubernetes makes the last two for a service "tallystick"
            List.of("TALLYSTICK_REAPER_", "TALLYSTICK_BENCH_", "TALLYSTICK_PORT", "TALLYSTICK_SERVICE_");
    private static final String DRAIN = "TALLYSTICK_DRAIN_"; // of the starters
    private static final String KEY = "tallystick(\\.[a-z][a-z0-9]*(-[a-z0-9]+)*){2,}";

    private static final List<StoreOption<?>> ALL = new ArrayList<>();

    /** Which store: {@code inmemory}, {@code file}, {@code journal}, {@code postgresql}, or another provider's name. */
    public static final StoreOption<String> STORE = add(
            "tallystick.store",
            ValueReaders.textOr(OWN_STORES),
            "journal",
            "which store: " + String.join(", ", OWN_STORES));

    /** The directory of a file or journal store. */
    public static final StoreOption<Path> DIRECTORY = add(
            "tallystick.directory",
            ValueReaders.path(),
            null,
            "the store's own directory; required for file and journal, created with its parents if it is missing");

    /** Whether an empty or missing directory is refused, because a store is expected to be there. */
    public static final StoreOption<Boolean> EXPECT_EXISTING = add(
            "tallystick.expect-existing",
            ValueReaders.truth(),
            "false",
            "refuse a directory without a store, for example because a volume is not mounted: true, false");

    /** The node that opens the store, to notice a volume that was mounted at the wrong node. */
    public static final StoreOption<String> NODE_ID = add(
            "tallystick.node-id",
            StoreOption::parseNodeId,
            null,
            "the node that the store belongs to; the first opening with a node writes it into the directory, and later"
                    + " openings by another node are refused: 1 to 64 printable ASCII characters without a space");

    /** The journal's engine. */
    public static final StoreOption<String> JOURNAL_ENGINE = add(
            "tallystick.journal.engine",
            ValueReaders.nameOr(OWN_ENGINES),
            "segmented",
            "segmented (group-commit log of this library), artemis (the HornetQ journal), or another engine's name");

    /** How the journal's bytes reach the disk. */
    public static final StoreOption<String> JOURNAL_IO = add(
            "tallystick.journal.io",
            ValueReaders.nameOr(OWN_IO),
            "auto",
            "auto (try the ways in the directory once and remember the choice), channel (write and fdatasync),"
                    + " direct (O_DIRECT and O_DSYNC), aio (Linux AIO), uring (io_uring)");

    /** Size of one journal file. */
    public static final StoreOption<Long> JOURNAL_SEGMENT_SIZE = add(
            "tallystick.journal.segment-size",
            ValueReaders.size(64 * KIB, 2 * GIB - MIB),
            "32MiB",
            "size of one journal file, 64KiB to 2047MiB");

    /** Journal files made ahead when a store is created. */
    public static final StoreOption<Integer> JOURNAL_SEGMENTS = add(
            "tallystick.journal.segments",
            ValueReaders.integer(4, 4096),
            "4",
            "journal files made when a store is created, 4 to 4096");

    /** Alignment of the journal's writes. */
    public static final StoreOption<Long> JOURNAL_BLOCK_SIZE = add(
            "tallystick.journal.block-size",
            ValueReaders.powerOfTwo(512, 64 * KIB),
            "4KiB",
            "alignment of the journal's writes, a power of two from 512 to 64KiB; at least the disk's block, and a"
                    + " third of a segment at most");

    /** The largest state, for all stores. */
    public static final StoreOption<Long> MAX_STATE_SIZE = add(Setting.of(
            "tallystick.max-state-size",
            ValueReaders.size(KIB, 256 * MIB),
            Optional.of("1MiB"),
            "the largest state that a store accepts, 1KiB to 256MiB; a quarter of a journal's segment at most"));

    /** The durability of {@code remove} in the transaction manager's log. */
    public static final StoreOption<Durability> REMOVE_DURABILITY = add(
            "tallystick.remove-durability",
            ValueReaders.choice(
                    List.of("deferred", "forced"), text -> Durability.valueOf(text.toUpperCase(Locale.ROOT))),
            "deferred",
            "how a transaction manager's adaptor removes finished records: deferred, forced"
                    + "; while it is not set, removals of LRA, REST-AT and XTS are forced");

    /** The reaction to a write whose outcome is unknown. */
    public static final StoreOption<OnUnknownOutcome> ON_UNKNOWN_OUTCOME = add(
            "tallystick.on-unknown-outcome",
            ValueReaders.choice(
                    List.of("throw", "halt"), text -> OnUnknownOutcome.valueOf(text.toUpperCase(Locale.ROOT))),
            "throw",
            "the reaction to a write whose outcome is unknown: throw (OutcomeUnknownException), halt (end the process,"
                    + " so that recovery decides)");

    /** The reaction to the loss of the log: another owner has it, or its place is gone. */
    public static final StoreOption<OnLostLog> ON_LOST_LOG = add(
            "tallystick.on-lost-log",
            ValueReaders.choice(List.of("stop", "halt"), text -> OnLostLog.valueOf(text.toUpperCase(Locale.ROOT))),
            "stop",
            "the reaction to a log that another owner has, or whose place is gone: stop (the store fails, and recovery"
                    + " judges nothing), halt (end the process)");

    /** The reaction to a log of Narayana's own with transactions that the store lacks. */
    public static final StoreOption<OnOldLog> ON_OLD_LOG = add(
            "tallystick.on-old-log",
            ValueReaders.choice(
                    List.of("refuse", "warn", "ignore"), text -> OnOldLog.valueOf(text.toUpperCase(Locale.ROOT))),
            "refuse",
            "what Narayana's adaptor does where one of Narayana's own logs holds transactions that the store lacks:"
                    + " refuse, warn, ignore");

    /** Whether management clients can see the store. */
    public static final StoreOption<Boolean> JMX = add(
            "tallystick.jmx",
            ValueReaders.truth(),
            "false",
            "register an MXBean of the open store, io.tallystick:type=ObjectStore,name=\"the directory\": true, false");

    /** Whether management clients may retry and forget transactions in doubt. */
    public static final StoreOption<Boolean> INDOUBT_SETTLE = add(
            "tallystick.indoubt.settle",
            ValueReaders.truth(),
            "false",
            "let people settle transactions in doubt in the running process, through an MXBean of its own and Spring"
                    + " Boot's endpoint tallystickSettle: true, false");

    /** Another directory for records that are forgotten. */
    public static final StoreOption<Path> INDOUBT_KEEP_IN = add(
            "tallystick.indoubt.keep-in",
            ValueReaders.path(),
            null,
            "a directory in which records are kept that people have forgotten, as in the store's tallystick.quarantine;"
                    + " a log in a database has no other; while it is missing, recovery rolls back no branch without a"
                    + " record");

    /** What an opening does with a remote log that was not closed. */
    public static final StoreOption<Takeover> TAKEOVER = add(
            "tallystick.takeover",
            ValueReaders.choice(List.of("after-lease", "at-once", "never"), Takeover::of),
            "after-lease",
            "what to do with a log on another machine that its owner has not closed: after-lease (wait until the owner"
                    + " was silent for a whole lease), at-once, never");

    /** How long the owner of a remote log must be silent before it is taken over. */
    public static final StoreOption<Duration> LEASE = add(
            "tallystick.lease",
            ValueReaders.duration(Duration.ofSeconds(2), Duration.ofMinutes(10)),
            "10s",
            "how long the owner of a log on another machine must be silent before another process takes it, 2s to 10m");

    /** How long a write to a remote log may wait for an answer, and a node for the owner of its directory to leave. */
    public static final StoreOption<Duration> PATIENCE = add(
            "tallystick.patience",
            ValueReaders.duration(Duration.ofSeconds(1), Duration.ofMinutes(10)),
            "30s",
            "how long a write to another machine may go without an answer before its outcome is unknown, and a node"
                    + " waits for the adopter of its directory, or for its own earlier process that is ending,"
                    + " 1s to 10m");

    /** What makes the second copy of a remote log. */
    public static final StoreOption<Replication> REQUIRE_REPLICATION = add(
            "tallystick.require-replication",
            StoreOption::parseReplication,
            "standby",
            "what makes the second copy that a log on another machine needs: standby (each write is proven to be on"
                    + " one), service (one that replicates below the server, which the store cannot see), none (one"
                    + " copy is enough)");

    /** Bytes of live records that a store with all states on the heap takes. */
    public static final StoreOption<Long> MAX_LIVE_SIZE = add(
            "tallystick.max-live-size",
            ValueReaders.size(MIB, 16 * GIB),
            "64MiB",
            "records of living states that a store on another machine keeps on the heap, 1MiB to 16GiB; a write beyond"
                    + " it is refused");

    /** The database. */
    public static final StoreOption<String> POSTGRESQL_URL = add(Setting.of(
                    "tallystick.postgresql.url",
                    ValueReaders.text(),
                    Optional.empty(),
                    "the database, such as jdbc:postgresql://db1,db2/tx; required for postgresql. Writes go to its"
                            + " primary")
            .shownAs(DatabaseUrl::withoutSecrets));

    /** The user of the database. */
    public static final StoreOption<String> POSTGRESQL_USER =
            add("tallystick.postgresql.user", ValueReaders.text(), null, "the user of the database");

    /** The file with the password of the user. */
    public static final StoreOption<Path> POSTGRESQL_PASSWORD_FILE = add(
            "tallystick.postgresql.password-file",
            ValueReaders.path(),
            null,
            "a file whose first line is the password; it is read at each connection");

    /** The schema of the tables. */
    public static final StoreOption<String> POSTGRESQL_SCHEMA = add(
            "tallystick.postgresql.schema",
            ValueReaders.matching("[a-z_][a-z0-9_]{0,62}"),
            "tallystick",
            "the schema that has the tables: lower-case letters, digits and underscores");

    /** Whether missing tables are made. */
    public static final StoreOption<Boolean> POSTGRESQL_CREATE_TABLES = add(
            "tallystick.postgresql.create-tables",
            ValueReaders.truth(),
            "false",
            "create schema and tables where they are missing: true, false");

    /** How many batches are written to the database at a time. */
    public static final StoreOption<Integer> POSTGRESQL_LANES = add(
            "tallystick.postgresql.lanes",
            ValueReaders.integer(1, 8),
            "2",
            "connections that write, each a batch at a time, 1 to 8");

    /** The pool that this process takes its node from. */
    public static final StoreOption<String> NODE_POOL = add(
            "tallystick.node-pool",
            ValueReaders.matching("[A-Za-z0-9._-]{1,24}"),
            null,
            "the pool of node ids that this process takes one from, for a log on another machine: orders has the ids"
                    + " orders-1, orders-2 and so on; 1 to 24 letters, digits, dots, underscores and dashes");

    /** How many ids a pool has. */
    public static final StoreOption<Integer> NODE_POOL_SIZE =
            add("tallystick.node-pool-size", ValueReaders.integer(1, 999), "32", "the ids of the pool, 1 to 999");

    /** Whose pool it is. */
    public static final StoreOption<String> NODE_POOL_APPLICATION = add(
            "tallystick.node-pool-application",
            ValueReaders.text(),
            null,
            "a name of the application, which its pool keeps: a process of another application is refused");

    /** How long a log of the pool must be without an owner before another process recovers it. */
    public static final StoreOption<Duration> NODE_POOL_RECOVER_AFTER = add(
            "tallystick.node-pool-recover-after",
            ValueReaders.duration(Duration.ofSeconds(10), Duration.ofHours(24)),
            "5m",
            "how long a log of the pool with work in it must be without an owner before a living process of the pool"
                    + " recovers it, 10s to 24h");

    /** How another process recovers it. */
    public static final StoreOption<Path> NODE_POOL_RECOVER_WITH = add(
            "tallystick.node-pool-recover-with",
            ValueReaders.path(),
            null,
            "a file with the arguments of java that start RecoverNode for such a log; without it the process only"
                    + " warns");

    private static final List<StoreOption<?>> KNOWN = List.copyOf(ALL);
    private static final SettingFamily FAMILY = SettingFamily.of("tallystick.", settings())
            .owningTheFile()
            .leaving(OF_OTHER_MODULES, VARIABLES_OF_OTHERS)
            .joinedBy(() -> ProvidedOptions.onTheClassPath().joined());

    private final Setting<T> setting;

    private static List<Setting<?>> settings() {
        List<Setting<?>> settings = new ArrayList<>();
        for (StoreOption<?> option : KNOWN) {
            settings.add(option.setting);
        }
        return settings;
    }

    private StoreOption(Setting<T> setting) {
        this.setting = setting;
    }

    /** The action of a store that cannot know whether a write is on disk. */
    public enum OnUnknownOutcome {
        /** The caller gets {@link OutcomeUnknownException}. */
        THROW,
        /**
         * The process ends at once with status 70, so that recovery alone decides. After a loss that could not be
         * marked the status is 72; see {@link LossMarking}.
         */
        HALT
    }

    /** The action of a process that has lost its log. An outage is not a loss. */
    public enum OnLostLog {
        /** The store stays failed, and says of no state that it is not there: recovery leaves the branches alone. */
        STOP,
        /**
         * The process ends with status 71, within two seconds, or seven where the loss takes long to mark. If it could
         * not be marked, the status is 72; see {@link LossMarking}.
         */
        HALT
    }

    /** The action of an adaptor whose store would forget the transactions of an old log. */
    public enum OnOldLog {
        /** The store is not opened. */
        REFUSE,
        /** The store is opened, and a warning names the log. */
        WARN,
        /** The adaptor does not look for one. */
        IGNORE
    }

    /** What an opening does with a log on another machine that its owner has not closed. */
    public enum Takeover {
        /** Waits until the owner was silent for a whole {@link #LEASE}. */
        AFTER_LEASE,
        /** Takes it without waiting. */
        AT_ONCE,
        /** Refuses. */
        NEVER;

        private static Takeover of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
        }
    }

    /** What makes the second copy of a log on another machine. A text of it is the text of the option. */
    public enum Replication {
        /** A standby of the server: a write is acknowledged when it is proven to be there. */
        STANDBY,
        /** A service below the server, whose word is taken: the store warns of what it cannot see. */
        SERVICE,
        /** Nothing: the loss of the machine loses the log. */
        NONE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Declares an option of a store or an engine of another library.
     *
     * @param setting its key begins with {@code tallystick.} and the name of the store or engine, such as {@code
     *     tallystick.ring.slots}; {@link Setting#shownAs} keeps a secret out of messages
     * @throws IllegalArgumentException the key is one of this library's, or has another form
     */
    public static <T> StoreOption<T> of(Setting<T> setting) {
        String key = setting.name();
        boolean isOfOthers =
                Stream.concat(VARIABLES_OF_OTHERS.stream(), Stream.of(DRAIN)).anyMatch(setting.variable()::startsWith);
        if (!key.matches(KEY) || isOfOthers) {
            throw new IllegalArgumentException("an option of a store cannot be called '" + Printable.of(key)
                    + "'; call it tallystick.NAME.OPTION, in small letters, digits and dashes, where NAME is the store"
                    + " or the engine, and does not begin with reaper, bench, drain, port or service");
        }
        Optional<StoreOption<?>> own = KNOWN.stream()
                .filter(option -> option.environmentName().equals(setting.variable()))
                .findFirst();
        if (own.isPresent()) {
            throw new IllegalArgumentException(key + " is an option of this library's stores, or has the variable of "
                    + own.get().key() + ": use the constant of StoreOption, or call this one tallystick.NAME.OPTION");
        }
        return new StoreOption<>(setting);
    }

    private static boolean isOwn(String key) {
        return KNOWN.stream().anyMatch(option -> option.key().equals(key));
    }

    /**
     * Every option: those of this library's stores, in the order of the documentation, and behind them those of other
     * stores and engines on the class path.
     */
    public static List<StoreOption<?>> all() {
        return Stream.concat(KNOWN.stream(), ofOthers().stream()).toList();
    }

    /** The options of other stores and engines on the class path. */
    public static List<StoreOption<?>> ofOthers() {
        return ProvidedOptions.onTheClassPath().options();
    }

    /** The options of this library's stores. */
    public static List<StoreOption<?>> own() {
        return KNOWN;
    }

    /** The option with this key, of this library's stores or of others on the class path. */
    public static Optional<StoreOption<?>> named(String key) {
        List<StoreOption<?>> options = isOwn(key) ? KNOWN : ofOthers();
        return options.stream().filter(option -> option.key().equals(key)).findFirst();
    }

    /** All options for the reader of the configuration, with the keys that it leaves to other modules. */
    public static SettingFamily family() {
        return FAMILY;
    }

    /** The key, such as {@code tallystick.journal.io}. */
    public String key() {
        return setting.name();
    }

    /** The name of the environment variable, such as {@code TALLYSTICK_JOURNAL_IO}. */
    public String environmentName() {
        return setting.variable();
    }

    /** The value where nothing is configured; empty where a value is required. */
    public Optional<T> defaultValue() {
        return setting.defaultValue();
    }

    /** Its effect and the values that it takes. */
    public String description() {
        return setting.description();
    }

    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException the text is no value of this option, naming the key and the values that it takes
     */
    public T parse(String text) {
        return setting.parse(text);
    }

    /** A value as messages may have it: without what may be a password. */
    public String shown(Object value) {
        return setting.shown(value);
    }

    @Override
    public String toString() {
        return key();
    }

    Setting<T> setting() {
        return setting;
    }

    private static <T> StoreOption<T> add(
            String key, Function<String, T> reader, String defaultText, String description) {
        return add(Setting.of(key, reader, Optional.ofNullable(defaultText), description));
    }

    private static <T> StoreOption<T> add(Setting<T> setting) {
        StoreOption<T> option = new StoreOption<>(setting);
        ALL.add(option);
        return option;
    }

    private static Replication parseReplication(String text) {
        if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
            throw new IllegalArgumentException("write standby instead of true, and none instead of false");
        }
        return ValueReaders.choice(
                        List.of("standby", "service", "none"),
                        name -> Replication.valueOf(name.toUpperCase(Locale.ROOT)))
                .apply(text);
    }

    private static String parseNodeId(String text) {
        if (text.isEmpty() || text.length() > 64 || text.chars().anyMatch(each -> each < '!' || each > '~')) {
            throw new IllegalArgumentException("not the id of a node");
        }
        return text;
    }
}
