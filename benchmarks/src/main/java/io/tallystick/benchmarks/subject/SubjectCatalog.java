package io.tallystick.benchmarks.subject;

import io.tallystick.benchmarks.subject.Subject.Durable;
import io.tallystick.benchmarks.subject.Subject.Needs;
import io.tallystick.benchmarks.subject.Subject.TimeLimits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All stores of the comparison, in the order of the tables: ours, then the peers; and those in a database. */
public final class SubjectCatalog {
    /** What an application gets that sets nothing but the directory. */
    public static final String DEFAULT = "journal-segmented-auto";

    private static final String AUTO = "auto";

    private static final List<String> JOURNAL_IO = List.of("channel", "direct", "aio", "uring", AUTO);

    /** More connections are no gain for Narayana's store on two cores. */
    private static final int POOLED = 60;

    private static final List<Subject> ALL = catalog();
    private static final List<Subject> DATABASES = inDatabases();

    private SubjectCatalog() {}

    public static List<Subject> all() {
        return ALL;
    }

    public static List<String> names() {
        return ALL.stream().map(Subject::name).toList();
    }

    /** The stores whose log is in a database. They are measured on request, and compared with each other only. */
    public static List<Subject> databases() {
        return DATABASES;
    }

    public static Subject named(String name) {
        return Stream.concat(ALL.stream(), DATABASES.stream())
                .filter(subject -> subject.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no store '" + name + "'; there are " + names()));
    }

    /** Whether the store tries several ways to the disk when it opens, and takes one of them. */
    public static boolean choosesByItself(String name) {
        return name.endsWith("-" + AUTO);
    }

    private static List<Subject> catalog() {
        List<Subject> subjects = new ArrayList<>();
        Subject inMemory = Subject.ours(
                "inmemory",
                Durable.IN_MEMORY,
                "a concurrent map; nothing is durable",
                Map.of("tallystick.store", "inmemory"));
        subjects.add(inMemory);
        subjects.add(inMemory.with(
                TimeLimits.NARAYANA, "inmemory-narayana-reaper", "inmemory, time limits kept by Narayana's reaper"));
        subjects.add(inMemory.with(
                TimeLimits.TALLYSTICK, "inmemory-tallystick-reaper", "inmemory, time limits kept by our reaper"));
        subjects.add(inMemory.with(
                TimeLimits.TALLYSTICK_WITHOUT,
                "inmemory-tallystick-manager",
                "inmemory, our transaction manager without time limits"));
        subjects.add(Subject.ours(
                "file",
                Durable.ON_DISK,
                "a file per state, a sync per transaction",
                Map.of("tallystick.store", "file")));
        for (String engine : List.of("segmented", "artemis")) {
            for (String io : JOURNAL_IO) {
                subjects.add(journal(engine, io));
            }
        }
        subjects.addAll(peers());
        return List.copyOf(subjects);
    }

    private static List<Subject> inDatabases() {
        return List.of(
                postgresql("postgresql", Needs.POSTGRESQL, "a batch of commits is one statement; one server"),
                postgresql(
                        "postgresql-standby",
                        Needs.POSTGRESQL_STANDBY,
                        "the same; a commit is on a synchronous standby too"),
                narayanaJdbc("narayana-jdbc", Needs.POSTGRESQL, "one server"),
                narayanaJdbc("narayana-jdbc-standby", Needs.POSTGRESQL_STANDBY, "with a synchronous standby"));
    }

    private static Subject postgresql(String name, Needs needs, String description) {
        return Subject.ours(
                        name,
                        Durable.IN_DATABASE,
                        description,
                        Map.of(
                                "tallystick.store",
                                "postgresql",
                                "tallystick.node-id",
                                "bench",
                                "tallystick.postgresql.url",
                                "jdbc:postgresql://" + Subject.DATABASE + "?user=postgres",
                                "tallystick.postgresql.create-tables",
                                "true",
                                "tallystick.require-replication",
                                needs == Needs.POSTGRESQL_STANDBY ? "standby" : "none"))
                .needing(needs);
    }

    /** With a pool of connections: without one, Narayana's store connects for each of its operations. */
    private static Subject narayanaJdbc(String name, Needs needs, String where) {
        return Subject.peer(
                        name,
                        Durable.IN_DATABASE,
                        "JDBCStore, HikariCP with " + POOLED + " connections; " + where,
                        "jdbc.JDBCStore",
                        Map.of(
                                "ObjectStoreEnvironmentBean.jdbcAccess",
                                "com.arjuna.ats.internal.arjuna.objectstore.jdbc.accessors.DynamicDataSourceJDBCAccess"
                                        + ";ClassName=com.zaxxer.hikari.HikariDataSource;JdbcUrl=jdbc:postgresql://"
                                        + Subject.DATABASE + ";Username=postgres;MaximumPoolSize=" + POOLED))
                .needing(needs);
    }

    private static Subject journal(String engine, String io) {
        return Subject.ours(
                "journal-" + engine + "-" + io,
                Durable.ON_DISK,
                "many transactions per sync: " + engine + " engine, " + io + " I/O",
                Map.of(
                        "tallystick.store",
                        "journal",
                        "tallystick.journal.engine",
                        engine,
                        "tallystick.journal.io",
                        io));
    }

    private static List<Subject> peers() {
        return List.of(
                Subject.peer(
                        "narayana-volatile",
                        Durable.IN_MEMORY,
                        "VolatileStore: a concurrent map; nothing is durable",
                        "VolatileStore",
                        Map.of()),
                Subject.peer(
                        "narayana-file",
                        Durable.ON_DISK,
                        "ShadowNoFileLockStore, the default: a file per record, removed without a sync",
                        "ShadowNoFileLockStore",
                        Map.of()),
                Subject.peer(
                        "narayana-slots",
                        Durable.ON_DISK,
                        "SlotStore on DiskSlots, 1024 slots, deferred removes",
                        "slot.SlotStoreAdaptor",
                        Map.of(
                                "SlotStoreEnvironmentBean.storeDir",
                                Subject.DIRECTORY,
                                "SlotStoreEnvironmentBean.backingSlotsClassName",
                                "com.arjuna.ats.internal.arjuna.objectstore.slot.DiskSlots",
                                // More than one slot for each open transaction of 400 threads.
                                "SlotStoreEnvironmentBean.numberOfSlots",
                                "1024",
                                "SlotStoreEnvironmentBean.syncDeletes",
                                "false")),
                narayanaJournal("narayana-journal-nio", Needs.NOTHING, "as shipped (AIO never loads), NIO", Map.of()),
                narayanaJournal(
                        "narayana-journal-aio", Needs.ARTEMIS_NATIVE, "as shipped, AIO really loaded", Map.of()),
                narayanaJournal("narayana-journal-nio-tuned", Needs.NOTHING, "tuned, NIO", tuning()),
                narayanaJournal(
                        "narayana-journal-aio-tuned", Needs.ARTEMIS_NATIVE, "tuned, AIO really loaded", tuning()));
    }

    private static Subject narayanaJournal(String name, Needs needs, String how, Map<String, String> tuning) {
        Map<String, String> settings = new LinkedHashMap<>(tuning);
        settings.put("HornetqJournalEnvironmentBean.storeDir", Subject.DIRECTORY);
        // True is the default; set here, it would only add a warning if the library is not loaded.
        settings.put("HornetqJournalEnvironmentBean.asyncIO", Boolean.toString(needs == Needs.ARTEMIS_NATIVE));
        return Subject.peer(
                        name,
                        Durable.ON_DISK,
                        "HornetqObjectStoreAdaptor " + how,
                        "hornetq.HornetqObjectStoreAdaptor",
                        settings)
                .needing(needs);
    }

    /** Settings that no product ships: no wait for the flush timer (1 ns), removes without a wait, large files. */
    private static Map<String, String> tuning() {
        return Map.of(
                "HornetqJournalEnvironmentBean.bufferFlushesPerSecond",
                "1000000000",
                "HornetqJournalEnvironmentBean.syncDeletes",
                "false",
                "HornetqJournalEnvironmentBean.fileSize",
                String.valueOf(64 * 1024 * 1024),
                "HornetqJournalEnvironmentBean.maxIO",
                "64");
    }
}
