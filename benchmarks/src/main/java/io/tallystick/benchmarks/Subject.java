package io.tallystick.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One store in one configuration, as the comparison names it.
 *
 * @param name what the tables and {@code --store} call it
 * @param family whose it is
 * @param durability whether a commit survives the process, and so may be compared with other durable ones
 * @param needs what it cannot work without
 * @param limits who keeps the time limits of its transactions
 * @param description one line for {@code --list}
 * @param settings system properties that make a JVM use it; {@link #DIRECTORY} in a value stands for the directory
 */
record Subject(
        String name,
        Family family,
        Durable durability,
        Needs needs,
        TimeLimits limits,
        String description,
        Map<String, String> settings) {
    /** Stands in a setting for the directory of the run. */
    static final String DIRECTORY = "${directory}";

    /** The time limit, in seconds, of a transaction for which none was set. */
    static final String DEFAULT_TIMEOUT = "CoordinatorEnvironmentBean.defaultTimeout";

    /** The transaction manager's class. */
    static final String MANAGER = "JTAEnvironmentBean.transactionManagerClassName";

    private static final String OBJECT_STORE_TYPE = "ObjectStoreEnvironmentBean.objectStoreType";

    /** Whose store it is. */
    enum Family {
        /** Of this library. */
        OURS,
        /** Of Narayana. */
        PEER
    }

    /** Whether a commit that was acknowledged survives a crash. */
    enum Durable {
        /** Nothing is written. */
        IN_MEMORY,
        /** Written and forced. */
        ON_DISK
    }

    /** What must be there. */
    enum Needs {
        /** Nothing beside the class path. */
        NOTHING,
        /** The library of artemis-native, loaded by us because its own jar never unpacks it. */
        ARTEMIS_NATIVE
    }

    /** Who rolls a transaction back when its time is over. */
    enum TimeLimits {
        /** Nobody: transactions have no time limit, and stores alone are compared. */
        NONE(Map.of()),
        /** Narayana's reaper. */
        NARAYANA(limitOf(60)),
        /** Ours, through our transaction manager. */
        TALLYSTICK(managedByUs(limitOf(60))),
        /** Nobody, but begun by our transaction manager: what that alone costs. */
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

    Subject {
        settings = Map.copyOf(settings);
    }

    boolean isDurable() {
        return durability == Durable.ON_DISK;
    }

    boolean isOurs() {
        return family == Family.OURS;
    }

    /** Whether it is here for its store, and not for who keeps time limits, of which two-phase commits say nothing. */
    boolean isForItsStore() {
        return limits == TimeLimits.NONE;
    }

    /** Class of the store that Narayana is told to use. */
    String storeClass() {
        return settings.get(OBJECT_STORE_TYPE);
    }

    /** The settings with the directory in its place. */
    Map<String, String> settingsIn(Path directory) {
        Map<String, String> resolved = new LinkedHashMap<>();
        settings.keySet().stream()
                .sorted()
                .forEach(key -> resolved.put(key, settings.get(key).replace(DIRECTORY, directory.toString())));
        return resolved;
    }

    /** Arguments of a JVM that uses this store in {@code directory}; {@code libraries} holds artemis-native, unpacked. */
    List<String> jvmArguments(Path directory, Path libraries) {
        List<String> arguments = new ArrayList<>();
        settingsIn(directory).forEach((key, value) -> arguments.add("-D" + key + "=" + value));
        if (needs == Needs.ARTEMIS_NATIVE) {
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
        return new Subject(name, Family.OURS, durability, Needs.NOTHING, TimeLimits.NONE, description, settings);
    }

    /** This store, with somebody who keeps time limits. */
    Subject with(TimeLimits keeper, String newName, String newDescription) {
        Map<String, String> both = new LinkedHashMap<>(settings);
        both.putAll(keeper.settings());
        return new Subject(newName, family, durability, needs, keeper, newDescription, both);
    }

    static Subject peer(
            String name,
            Durable durability,
            Needs needs,
            String description,
            String storeClass,
            Map<String, String> beanSettings) {
        Map<String, String> settings = new LinkedHashMap<>(beanSettings);
        settings.put(OBJECT_STORE_TYPE, "com.arjuna.ats.internal.arjuna.objectstore." + storeClass);
        return new Subject(name, Family.PEER, durability, needs, TimeLimits.NONE, description, settings);
    }
}
