package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.common.util.propertyservice.PropertiesFactory;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.RemoteLogs;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * Makes one configuration from Narayana's beans, system properties and the environment. The bean has precedence. If
 * none of them names a directory, Narayana's own is used.
 */
final class StoreSettings {
    /**
     * Our sub-directory of {@code objectStoreDir}. Each of Narayana's stores has a sub-directory with the simple name
     * of its class, and ours follows that rule. So operators find it, and no other store uses it.
     */
    static final String SUB_DIRECTORY = "TallystickObjectStore";

    // The value in jbossts-properties.xml of the narayana-jta jar: a note to the reader, not a path.
    private static final String PLACEHOLDER = "PutObjectStoreDirHere";
    private static final Set<String> STORES_WITH_DIRECTORY = Set.of("file", "journal");

    private StoreSettings() {}

    /**
     * The configuration of an adaptor.
     *
     * @param bean the settings of the role
     * @param narayana Narayana's settings without a role name, which give all roles their directory
     * @throws IllegalArgumentException an unknown key or a bad value, no directory where one is needed, or another node
     *     than Narayana's
     */
    static StoreConfiguration of(TallystickStoreEnvironmentBean bean, ObjectStoreEnvironmentBean narayana) {
        Properties narayanas = PropertiesFactory.getDefaultProperties();
        Set<String> keys = keysOfTheFile(narayanas);
        StoreOption.family().checkKeys(keys, "Narayana's properties file");
        StoreConfiguration.Builder builder = StoreConfiguration.builder().withEnvironment();
        takeOptionsOfOthers(narayanas, keys, builder);
        bean.applyTo(builder);
        return NarayanaNode.checked(withDirectory(builder.build(), narayana));
    }

    /** Takes from Narayana's properties file the keys that the bean has no property for. */
    static void takeOptionsOfOthers(Properties narayanas, Set<String> keys, StoreConfiguration.Builder builder) {
        for (StoreOption<?> option : StoreOption.ofOthers()) {
            if (keys.contains(option.key())) {
                builder.set(option.key(), narayanas.getProperty(option.key()));
            }
        }
    }

    /**
     * The configuration with a directory, which is Narayana's where none is configured and one is needed.
     *
     * @throws IllegalArgumentException there is none
     */
    static StoreConfiguration withDirectory(StoreConfiguration configuration, ObjectStoreEnvironmentBean narayana) {
        if (configuration.isSet(StoreOption.DIRECTORY) || !isInDirectory(configuration)) {
            return configuration;
        }
        return configuration.toBuilder()
                .directory(directoryOf(narayana.getObjectStoreDir()))
                .build();
    }

    /** Whether the store is one of ours that lives in a directory. */
    static boolean isInDirectory(StoreConfiguration configuration) {
        return STORES_WITH_DIRECTORY.contains(configuration.get(StoreOption.STORE));
    }

    /**
     * The keys in Narayana's properties file. They are checked here, because Narayana itself ignores the keys that it
     * does not know. It adds the system properties, which are checked where they are read.
     */
    private static Set<String> keysOfTheFile(Properties narayanas) {
        Set<String> keys = new TreeSet<>(narayanas.stringPropertyNames());
        keys.removeIf(key -> System.getProperty(key) != null);
        return keys;
    }

    /** Where the store keeps what people have put aside; empty for a store that lies in no directory. */
    static Optional<Path> quarantine(StoreConfiguration configuration) {
        return isInDirectory(configuration)
                ? Optional.of(SettledTrail.directoryIn(configuration
                        .get(StoreOption.DIRECTORY)
                        .toAbsolutePath()
                        .normalize()))
                : Optional.empty();
    }

    /** The configured directory of records of this log that people have forgotten; none if it is the quarantine. */
    static List<Path> configuredForForgotten(StoreConfiguration configuration) {
        return configuration
                .find(StoreOption.INDOUBT_KEEP_IN)
                .map(path -> path.toAbsolutePath().normalize())
                .filter(path -> !quarantine(configuration).equals(Optional.of(path)))
                .stream()
                .toList();
    }

    /**
     * Checks that an empty log is not taken for that of a node. A store of ours in a directory or in a database refuses
     * to make one where it is told to expect one; no other store has promised that.
     *
     * @throws IllegalArgumentException this kind of store makes an empty log
     */
    static void checkAdoptable(StoreConfiguration configuration) {
        if (isInDirectory(configuration)) {
            return;
        }
        try {
            RemoteLogs.of(configuration.get(StoreOption.STORE));
        } catch (IllegalArgumentException noneThere) {
            throw new IllegalArgumentException(
                    StoreOption.STORE.key() + "=" + configuration.get(StoreOption.STORE) + " has no log of a node that"
                            + " has died: an empty one would be made, and every branch would be rolled back. Configure"
                            + " the store of the node",
                    noneThere);
        }
    }

    private static Path directoryOf(String objectStoreDir) {
        if (objectStoreDir == null || objectStoreDir.isBlank() || objectStoreDir.equals(PLACEHOLDER)) {
            throw new IllegalArgumentException(
                    "no directory is configured: tallystick.directory is not set, and Narayana's objectStoreDir is "
                            + (objectStoreDir == null ? "not set" : "'" + objectStoreDir + "'")
                            + "; set -Dtallystick.directory=..., or -DObjectStoreEnvironmentBean.objectStoreDir=...");
        }
        try {
            return Path.of(objectStoreDir).resolve(SUB_DIRECTORY);
        } catch (InvalidPathException bad) {
            throw new IllegalArgumentException(
                    "Narayana's objectStoreDir='" + objectStoreDir + "' is not a path: " + bad.getReason()
                            + "; set -Dtallystick.directory=...",
                    bad);
        }
    }
}
