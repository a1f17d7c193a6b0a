package io.tallystick.store;

import io.tallystick.store.spi.NearestName;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;

/**
 * Which store, where, and how. Immutable and checked: every key is known and every value has been read when an instance
 * exists.
 *
 * <p>A value is taken from the first of these places that has it: the builder's {@code set}, system properties,
 * environment variables, the properties file, the default. The order of the builder's calls does not matter.
 *
 * <p>Keys that begin with {@code tallystick.reaper.} and {@code tallystick.bench.} belong to other modules and are left
 * to them. In the environment, the variables that Kubernetes makes for a service called <i>tallystick</i>
 * ({@code TALLYSTICK_PORT...}, {@code TALLYSTICK_SERVICE_...}) are left alone.
 */
public final class StoreConfiguration {
    /** The key, system property only or {@code TALLYSTICK_CONFIGURATION_FILE}, that names a properties file. */
    public static final String CONFIGURATION_FILE_KEY = "tallystick.configuration-file";

    private static final String PREFIX = "tallystick.";
    private static final String ENVIRONMENT_PREFIX = "TALLYSTICK_";
    private static final List<String> FOREIGN_KEYS = List.of("tallystick.reaper.", "tallystick.bench.");
    private static final List<String> FOREIGN_VARIABLES =
            List.of("TALLYSTICK_REAPER_", "TALLYSTICK_BENCH_", "TALLYSTICK_PORT", "TALLYSTICK_SERVICE_");

    private final Map<StoreOption<?>, Object> values;

    private StoreConfiguration(Map<StoreOption<?>, Object> values) {
        this.values = Map.copyOf(values);
    }

    /** A builder that knows nothing but the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * What system properties, the environment and the file that either of them names say.
     *
     * @throws IllegalArgumentException an unknown key or a bad value
     * @throws StoreIoException the named file cannot be read
     */
    public static StoreConfiguration fromEnvironment() {
        return builder().withEnvironment().build();
    }

    /** The value, or the option's default. */
    public <T> Optional<T> find(StoreOption<T> option) {
        @SuppressWarnings("unchecked") // only Builder.put fills the map, with values that the option itself has read
        T value = (T) values.get(option);
        return value != null ? Optional.of(value) : option.defaultValue();
    }

    /**
     * The value, or the option's default.
     *
     * @throws IllegalArgumentException neither exists, naming the key and where it can be set
     */
    public <T> T get(StoreOption<T> option) {
        return find(option)
                .orElseThrow(() -> new IllegalArgumentException(option.key()
                        + " is not set; give it to the builder, as -D"
                        + option.key() + "=... or in the environment variable " + option.environmentName() + ": "
                        + option.description()));
    }

    /** Whether a value was given, rather than taken from the default. */
    public boolean isSet(StoreOption<?> option) {
        return values.containsKey(option);
    }

    /** A builder that has these values set. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.explicit.putAll(values);
        return builder;
    }

    /** The values that were given, as {@code key=value}, in no order. */
    @Override
    public String toString() {
        return values.toString();
    }

    /** Collects values; {@link #build} checks nothing that was not checked already, and reads the named file. */
    public static final class Builder {
        private final Map<StoreOption<?>, Object> explicit = new HashMap<>();
        private final Map<StoreOption<?>, Object> fromProperties = new HashMap<>();
        private final Map<StoreOption<?>, Object> fromVariables = new HashMap<>();
        private final Map<StoreOption<?>, Object> fromFile = new HashMap<>();

        private Builder() {}

        /** Sets an option. */
        public <T> Builder set(StoreOption<T> option, T value) {
            explicit.put(Objects.requireNonNull(option, "option"), Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Sets an option by its key and text.
         *
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder set(String key, String text) {
            put(explicit, known(key, "the builder"), text);
            return this;
        }

        /** Sets {@link StoreOption#STORE}. */
        public Builder store(String name) {
            return set(StoreOption.STORE, name);
        }

        /** Sets {@link StoreOption#DIRECTORY}. */
        public Builder directory(Path directory) {
            return set(StoreOption.DIRECTORY, directory);
        }

        /**
         * Takes the {@code tallystick.*} properties from {@code properties}.
         *
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder withProperties(Properties properties) {
            for (String key : properties.stringPropertyNames()) {
                if (isOurs(key)) {
                    put(fromProperties, known(key, "the system properties"), properties.getProperty(key));
                }
            }
            return this;
        }

        /**
         * Takes the {@code TALLYSTICK_*} variables from {@code variables}.
         *
         * @throws IllegalArgumentException an unknown name or a bad value, naming the nearest valid one
         */
        public Builder withVariables(Map<String, String> variables) {
            for (Map.Entry<String, String> variable : variables.entrySet()) {
                String name = variable.getKey();
                if (name.startsWith(ENVIRONMENT_PREFIX)
                        && FOREIGN_VARIABLES.stream().noneMatch(name::startsWith)
                        && !name.equals(variableOf(CONFIGURATION_FILE_KEY))) {
                    put(fromVariables, knownVariable(name), variable.getValue());
                }
            }
            return this;
        }

        /**
         * Takes the values from a file in the format of {@link Properties}, UTF-8.
         *
         * @throws StoreIoException the file cannot be read
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder withFile(Path file) {
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                properties.load(reader);
            } catch (IOException | IllegalArgumentException unreadable) {
                throw new StoreIoException(
                        "configuration file=" + file + " cannot be read (" + unreadable
                                + "); check that it exists, is readable and is a properties file in UTF-8",
                        unreadable);
            }
            for (String key : properties.stringPropertyNames()) {
                if (FOREIGN_KEYS.stream().noneMatch(key::startsWith)) {
                    put(fromFile, known(key, "file " + file), properties.getProperty(key));
                }
            }
            return this;
        }

        /** The process' system properties and environment, and the file that one of them names. */
        public Builder withEnvironment() {
            withProperties(System.getProperties());
            withVariables(System.getenv());
            String file = System.getProperty(CONFIGURATION_FILE_KEY);
            if (file == null) {
                file = System.getenv(variableOf(CONFIGURATION_FILE_KEY));
            }
            return file == null ? this : withFile(Path.of(file));
        }

        /** The configuration. */
        public StoreConfiguration build() {
            Map<StoreOption<?>, Object> merged = new HashMap<>(fromFile);
            merged.putAll(fromVariables);
            merged.putAll(fromProperties);
            merged.putAll(explicit);
            return new StoreConfiguration(merged);
        }

        private static void put(Map<StoreOption<?>, Object> values, StoreOption<?> option, String text) {
            values.put(option, option.parse(text));
        }

        private static boolean isOurs(String key) {
            return key.startsWith(PREFIX)
                    && FOREIGN_KEYS.stream().noneMatch(key::startsWith)
                    && !key.equals(CONFIGURATION_FILE_KEY);
        }

        private static StoreOption<?> known(String key, String place) {
            return StoreOption.named(key)
                    .orElseThrow(
                            () -> new IllegalArgumentException("unknown key '" + Printable.of(key) + "' in " + place
                                    + "; did you mean '"
                                    + NearestName.of(
                                            key,
                                            StoreOption.all().stream()
                                                    .map(StoreOption::key)
                                                    .toList())
                                    + "'?"));
        }

        private static StoreOption<?> knownVariable(String name) {
            return StoreOption.all().stream()
                    .filter(option -> option.environmentName().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("unknown environment variable '"
                            + Printable.of(name) + "'; did you mean '"
                            + NearestName.of(
                                    name,
                                    StoreOption.all().stream()
                                            .map(StoreOption::environmentName)
                                            .toList())
                            + "'?"));
        }

        private static String variableOf(String key) {
            return key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
        }
    }
}
