package io.tallystick.tool;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * The settings that a framework hands to Narayana: from the system properties, the environment and the application's
 * file, in this order.
 *
 * @param framework the one that installs the store
 * @param file of the application; empty if none is given, so that its settings are not known
 * @param system the system properties of the process
 * @param variables its environment
 */
record FrameworkSettings(
        Framework framework, Optional<Properties> file, Properties system, Map<String, String> variables) {
    private static final String PLACEHOLDER = "${";

    /** The node of the transaction manager as it is written, perhaps with a placeholder; empty if none is set. */
    Optional<String> writtenNode() {
        return written(framework.nodeKey());
    }

    /** The node of the transaction manager; empty if none is set, or if only the running application knows it. */
    Optional<String> node() {
        return writtenNode().filter(FrameworkSettings::isKnown);
    }

    /** The directory of the store, unless it is configured; empty if only the running application knows it. */
    Optional<Path> directory() {
        return written(framework.directoryKey())
                .filter(FrameworkSettings::isKnown)
                .map(Path::of)
                .filter(Path::isAbsolute)
                .map(log -> log.resolve(DoctorCommand.SUB_DIRECTORY));
    }

    private static boolean isKnown(String value) {
        return !value.contains(PLACEHOLDER);
    }

    private Optional<String> written(String key) {
        String variable = key.toUpperCase(Locale.ROOT).replace('.', '_');
        return Stream.of(
                        Optional.ofNullable(system.getProperty(key)),
                        Optional.ofNullable(variables.get(variable.replace('-', '_'))),
                        Optional.ofNullable(variables.get(variable.replace("-", ""))),
                        file.map(properties -> properties.getProperty(key)))
                .flatMap(Optional::stream)
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .findFirst();
    }
}
