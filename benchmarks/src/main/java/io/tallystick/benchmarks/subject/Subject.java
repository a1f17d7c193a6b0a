package io.tallystick.benchmarks.subject;

import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One store in one configuration.
 *
 * @param name the name in tables and after {@code --store}
 * @param description one line for {@code --list}
 * @param kind the properties of the store that the comparison depends on
 * @param limits the reaper of its transactions
 * @param settings system properties that make a JVM use the store; {@link #DIRECTORY} in a value stands for the
 *     directory, and {@link #DATABASE} for the database
 */
public record Subject(String name, String description, Kind kind, TimeLimits limits, Map<String, String> settings) {
    /** The placeholder for the directory of the run in a setting. */
    static final String DIRECTORY = "${directory}";

    /** The placeholder for host, port and name of a database in a setting. */
    static final String DATABASE = "${database}";

    /** The time limit, in seconds, of a transaction for which none was set. */
    public static final String DEFAULT_TIMEOUT = "CoordinatorEnvironmentBean.defaultTimeout";

    /** The transaction manager's class. */
    static final String MANAGER = "JTAEnvironmentBean.transactionManagerClassName";

    private static final String OBJECT_STORE_TYPE = "ObjectStoreEnvironmentBean.objectStoreType";

    /**
     * The properties of a store that the comparison depends on.
     *
     * @param family the library of the store
     * @param durability whether an acknowledged commit survives a crash; only durable stores are compared with each
     *     other
     * @param needs the precondition of the store
     */
    record Kind(Family family, Durable durability, Needs needs) {}

    /** The library of a store. */
    enum Family {
        /** Of this library. */
        OURS,
        /** Of Narayana. */
        PEER
    }

    /** Whether a commit that was acknowledged survives a crash. */
    enum Durable {
        /** A commit writes nothing. */
        IN_MEMORY,
        /** A commit is written and forced. */
        ON_DISK,
        /** A commit is in a database, which other processes force. It is compared with other such stores only. */
        IN_DATABASE
    }

    /** The precondition of a store. */
    public enum Needs {
        /** Nothing beside the class path. */
        NOTHING,
        /** The library of artemis-native, loaded by us because its own jar never unpacks it. */
        ARTEMIS_NATIVE,
        /** A PostgreSQL server. */
        POSTGRESQL,
        /** A PostgreSQL server with a synchronous standby. */
        POSTGRESQL_STANDBY
    }

    /** The reaper that rolls a transaction back when its time is over. */
    enum TimeLimits {
        /** No reaper: transactions have no time limit, and stores alone are compared. */
        NONE(Map.of()),
        /** Narayana's reaper. */
        NARAYANA(limitOf(60)),
        /** Ours, through our transaction manager. */
        TALLYSTICK(managedByUs(limitOf(60))),
        /** No reaper, but our transaction manager, to measure its own cost. */
        TALLYSTICK_WITHOUT(managedByUs(Map.of()));

        private final Map<String, String> settings;

        TimeLimits(Map<String, String> settings) {
            this.settings = settings;
        }

        Map<String, String> settings() {
            return settings;
        }

        private static Map<String, String> limitOf(int seconds) {
            return Map.of(DEFAULT_TIMEOUT, Integer.toString(seconds));
        }

        private static Map<String, String> managedByUs(Map<String, String> limits) {
            Map<String, String> settings = new LinkedHashMap<>(limits);
            settings.put(MANAGER, "io.tallystick.narayana.TallystickTransactionManager");
            return settings;
        }
    }

    public Subject {
        settings = Map.copyOf(settings);
    }

    public Needs needs() {
        return kind.needs();
    }

    public boolean isDurable() {
        return kind.durability() == Durable.ON_DISK;
    }

    /** Whether the log is in a database. Such a store is not compared with those on the disk alone. */
    public boolean isInDatabase() {
        return kind.durability() == Durable.IN_DATABASE;
    }

    public boolean isOurs() {
        return kind.family() == Family.OURS;
    }

    /** Whether the row compares stores. The others compare reapers, which two-phase commits do not show. */
    public boolean isForItsStore() {
        return limits == TimeLimits.NONE;
    }

    /**
     * The subject whose JVM this one shares: those that differ in their reaper alone run in the JVM of the store
     * without a reaper.
     */
    public String host() {
        return isForItsStore() ? name : name.substring(0, name.indexOf('-'));
    }

    /** Gives the transactions of this JVM the reaper of this subject, in the place of another subject's. */
    public void chooseReaper() {
        TxControl.setDefaultTimeout(Integer.parseInt(settings.getOrDefault(DEFAULT_TIMEOUT, "0")));
        jtaPropertyManager
                .getJTAEnvironmentBean()
                .setTransactionManagerClassName(
                        settings.getOrDefault(MANAGER, TransactionManagerImple.class.getName()));
    }

    /** The class of the store in Narayana's configuration. */
    public String storeClass() {
        return settings.get(OBJECT_STORE_TYPE);
    }

    /** The settings with the directory in its place, except for those that need a database. */
    public Map<String, String> settingsIn(Path directory) {
        Map<String, String> resolved = new LinkedHashMap<>();
        settings.keySet().stream()
                .filter(key -> !settings.get(key).contains(DATABASE))
                .sorted()
                .forEach(key -> resolved.put(key, settings.get(key).replace(DIRECTORY, directory.toString())));
        return resolved;
    }

    /**
     * The settings that need a database.
     *
     * @param database host, port and name, such as {@code 127.0.0.1:5432/bench}
     */
    public Map<String, String> settingsOf(String database) {
        Map<String, String> resolved = new LinkedHashMap<>();
        settings.keySet().stream()
                .filter(key -> settings.get(key).contains(DATABASE))
                .sorted()
                .forEach(key -> resolved.put(key, settings.get(key).replace(DATABASE, database)));
        return resolved;
    }

    /**
     * Arguments of a JVM that uses this store in {@code directory}; {@code libraries} holds artemis-native, unpacked.
     */
    public List<String> jvmArguments(Path directory, Path libraries) {
        List<String> arguments = new ArrayList<>();
        settingsIn(directory).forEach((key, value) -> arguments.add("-D" + key + "=" + value));
        if (kind.needs() == Needs.ARTEMIS_NATIVE) {
            arguments.add("-Djava.library.path=" + libraries);
        }
        return arguments;
    }

    static Subject ours(String name, Durable durability, String description, Map<String, String> keys) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(OBJECT_STORE_TYPE, "io.tallystick.narayana.TallystickObjectStore");
        settings.put("tallystick.remove-durability", "deferred");
        settings.putAll(keys);
        if (durability == Durable.ON_DISK) {
            settings.put("tallystick.directory", DIRECTORY);
        }
        return new Subject(
                name, description, new Kind(Family.OURS, durability, Needs.NOTHING), TimeLimits.NONE, settings);
    }

    /** This store, with a reaper. */
    Subject with(TimeLimits reaper, String newName, String newDescription) {
        Map<String, String> both = new LinkedHashMap<>(settings);
        both.putAll(reaper.settings());
        return new Subject(newName, newDescription, kind, reaper, both);
    }

    static Subject peer(
            String name, Durable durability, String description, String storeClass, Map<String, String> beanSettings) {
        Map<String, String> settings = new LinkedHashMap<>(beanSettings);
        settings.put(OBJECT_STORE_TYPE, "com.arjuna.ats.internal.arjuna.objectstore." + storeClass);
        return new Subject(
                name, description, new Kind(Family.PEER, durability, Needs.NOTHING), TimeLimits.NONE, settings);
    }

    /** This store, with a precondition. */
    Subject needing(Needs needs) {
        return new Subject(name, description, new Kind(kind.family(), kind.durability(), needs), limits, settings);
    }
}
