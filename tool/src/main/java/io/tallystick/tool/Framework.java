package io.tallystick.tool;

import io.tallystick.store.StoreOption;
import io.tallystick.tool.command.NarayanaSettings;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** A framework in which a part of ours installs the store: its own settings count there, and not Narayana's. */
enum Framework {
    SPRING_BOOT(
            "Spring Boot",
            "io/tallystick/spring/boot/TallystickAutoConfiguration.class",
            "",
            "narayana.node-identifier",
            "narayana.log-dir"),
    QUARKUS(
            "Quarkus",
            "io/tallystick/quarkus/TallystickRecorder.class",
            "quarkus.",
            "quarkus.transaction-manager.node-name",
            "quarkus.transaction-manager.object-store.directory");

    private final String title;
    private final String ourClass;
    private final String prefix;
    private final String nodeKey;
    private final String directoryKey;

    Framework(String title, String ourClass, String prefix, String nodeKey, String directoryKey) {
        this.title = title;
        this.ourClass = ourClass;
        this.prefix = prefix;
        this.nodeKey = nodeKey;
        this.directoryKey = directoryKey;
    }

    /** The one whose starter or extension of ours this loader finds. */
    static Optional<Framework> foundBy(ClassLoader loader) {
        return Arrays.stream(values())
                .filter(framework -> loader.getResource(framework.ourClass) != null)
                .findFirst();
    }

    /** As in an option of the tool. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The name for people. */
    String title() {
        return title;
    }

    /** The key that names the node there. */
    String nodeKey() {
        return nodeKey;
    }

    /** The key below whose directory the store lies there, unless it has a directory of its own. */
    String directoryKey() {
        return directoryKey;
    }

    /** The class that serves a role there, which has this class by Narayana's own settings. */
    String served(String byNarayana) {
        return byNarayana.equals(NarayanaSettings.DEFAULT_CLASS) ? NarayanaSettings.OUR_CLASS : byNarayana;
    }

    /** The settings of the store in a file of the framework. A value with a placeholder is not known here. */
    Map<String, String> settingsIn(Properties file) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (StoreOption<?> option : StoreOption.all()) {
            String value = file.getProperty(prefix + option.key());
            if (value != null && !value.contains("${")) {
                settings.put(option.key(), value.strip());
            }
        }
        return settings;
    }
}
