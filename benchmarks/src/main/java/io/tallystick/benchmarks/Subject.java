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
 * @param description one line for {@code --list}
 * @param settings system properties that make a JVM use it; {@link #DIRECTORY} in a value stands for the directory
 */
record Subject(
        String name, Family family, Durable durability, Needs needs, String description, Map<String, String> settings) {
    /** Stands in a setting for the directory of the run. */
    static final String DIRECTORY = "${directory}";

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

    Subject {
        settings = Map.copyOf(settings);
    }

    boolean isDurable() {
        return durability == Durable.ON_DISK;
    }

    boolean isOurs() {
        return family == Family.OURS;
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
        return new Subject(name, Family.OURS, durability, Needs.NOTHING, description, settings);
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
        return new Subject(name, Family.PEER, durability, needs, description, settings);
    }
}
