package io.tallystick.store.settings;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * The values of a family's settings. Immutable and checked: every name is known and every value has been read when an
 * instance exists.
 *
 * <p>A value is taken from the first of these places that has it: the builder's {@code set}, system properties,
 * environment variables, the properties file, the default. The order of the builder's calls does not matter. A text
 * that is empty or blank is no value, as if the name were not there.
 */
public final class Settings {
    private static final String OF_PROPERTIES = "the system properties";
    private static final String OF_VARIABLES = "the environment";

    private final SettingFamily family;
    private final Map<Setting<?>, Object> values;
    private final Set<String> serviceVariables;

    private Settings(SettingFamily family, Map<Setting<?>, Object> values, Set<String> serviceVariables) {
        this.family = family;
        this.values = Map.copyOf(values);
        this.serviceVariables = serviceVariables;
    }

    /** A builder that has only the defaults. */
    public static Builder builder(SettingFamily family) {
        return new Builder(family);
    }

    /**
     * The value, or the setting's default.
     *
     * @throws IllegalStateException another setting of this name has a value
     */
    public <T> Optional<T> find(Setting<T> setting) {
        @SuppressWarnings("unchecked") // only the builder fills the map, with values that the setting itself has read
        T value = (T) values.get(setting);
        if (value == null) {
            checkNoTwin(setting);
        }
        return value != null ? Optional.of(value) : setting.defaultValue();
    }

    /**
     * Whether a value was given, rather than taken from the default.
     *
     * @throws IllegalStateException another setting of this name has a value
     */
    public boolean isSet(Setting<?> setting) {
        boolean isSet = values.containsKey(setting);
        if (!isSet) {
            checkNoTwin(setting);
        }
        return isSet;
    }

    // Who declares a setting anew at each call would read its default, whatever the user has given.
    private void checkNoTwin(Setting<?> setting) {
        for (Setting<?> other : values.keySet()) {
            if (other.name().equals(setting.name())) {
                throw new IllegalStateException("two settings are called " + setting.name()
                        + ", and the value that was given belongs to the other one: whoever declares it must keep it in"
                        + " a constant, and declare this one each time");
            }
        }
    }

    /** The {@link ServiceVariables} that begin like this family's variables, and were left alone. */
    public List<String> serviceVariables() {
        return List.copyOf(serviceVariables);
    }

    /** A builder that has these values set. */
    public Builder toBuilder() {
        Builder builder = new Builder(family);
        builder.explicit.putAll(values);
        builder.serviceVariables.addAll(serviceVariables);
        return builder;
    }

    /** The values that were given, as {@code key=value}, in no order and without secrets. */
    @Override
    public String toString() {
        Map<Setting<?>, String> shown = new HashMap<>();
        values.forEach((setting, value) -> shown.put(setting, setting.shown(value)));
        return shown.toString();
    }

    /** The places of names and texts. An earlier one goes before a later one. */
    private enum Place {
        BUILDER,
        PROPERTIES,
        VARIABLES,
        FILE
    }

    /** Collects values; each is checked when it is set. */
    public static final class Builder {
        private final SettingFamily family;
        private final Map<Setting<?>, Object> explicit = new HashMap<>();
        private final Map<Place, Map<Setting<?>, Object>> given = new EnumMap<>(Place.class);
        private final Set<String> serviceVariables = new TreeSet<>();

        private Builder(SettingFamily family) {
            this.family = family;
            for (Place place : Place.values()) {
                given.put(place, new HashMap<>());
            }
        }

        /** Sets a value. */
        public <T> Builder set(Setting<T> setting, T value) {
            explicit.put(Objects.requireNonNull(setting, "setting"), Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Sets a value by key and text.
         *
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder set(String key, String text) {
            Setting<?> setting = family.findKey(key, "the builder");
            put(Place.BUILDER, setting, key, text, "");
            if (!text.isBlank()) {
                explicit.remove(setting);
            }
            return this;
        }

        /**
         * Takes the family's keys from {@code properties}.
         *
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder withProperties(Properties properties) {
            for (String key : properties.stringPropertyNames()) {
                if (family.ownsKey(key)) {
                    put(
                            Place.PROPERTIES,
                            family.findKey(key, OF_PROPERTIES),
                            key,
                            properties.getProperty(key),
                            OF_PROPERTIES);
                }
            }
            return this;
        }

        /**
         * Takes the family's environment variables from {@code variables}, and leaves {@link ServiceVariables} alone.
         *
         * @throws IllegalArgumentException an unknown name or a bad value, naming the nearest valid one
         */
        public Builder withVariables(Map<String, String> variables) {
            variables.forEach((name, text) -> {
                if (!family.ownsVariable(name)) {
                    return;
                }
                if (!family.knowsVariable(name) && ServiceVariables.isOne(name, text)) {
                    serviceVariables.add(name);
                } else {
                    put(Place.VARIABLES, family.findVariable(name), name, text, OF_VARIABLES);
                }
            });
            return this;
        }

        /**
         * Takes the values from a file in the format of {@link Properties}, UTF-8.
         *
         * @throws UncheckedIOException the file cannot be read
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder withFile(Path file) {
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                properties.load(reader);
            } catch (IOException unreadable) {
                throw unreadable(file, unreadable, unreadable);
            } catch (IllegalArgumentException malformed) {
                throw unreadable(file, malformed, new IOException(malformed));
            }
            for (String key : properties.stringPropertyNames()) {
                if (family.ownsKeyOfFile(key)) {
                    String place = "file " + file;
                    put(Place.FILE, family.findKey(key, place), key, properties.getProperty(key), place);
                }
            }
            return this;
        }

        /** The process' system properties and environment, and the file that one of them names. */
        public Builder withEnvironment() {
            withProperties(System.getProperties());
            withVariables(System.getenv());
            String key = SettingFamily.CONFIGURATION_FILE_KEY;
            String file = System.getProperty(key);
            if (file == null || file.isBlank()) {
                file = System.getenv(Setting.variableOf(key));
            }
            return file == null || file.isBlank() ? this : withFile(Path.of(file));
        }

        /** The settings. */
        public Settings build() {
            Map<Setting<?>, Object> values = new HashMap<>();
            List<Place> lastFirst = Arrays.asList(Place.values());
            Collections.reverse(lastFirst);
            lastFirst.forEach(place -> values.putAll(given.get(place)));
            values.putAll(explicit);
            return new Settings(family, values, new TreeSet<>(serviceVariables));
        }

        /** @param where the place of the text, in the words of an error; empty for the builder */
        private void put(Place place, Setting<?> setting, String name, String text, String where) {
            Objects.requireNonNull(text, "text");
            if (!text.isBlank()) {
                given.get(place).put(setting, setting.parse(name, text, where));
            }
        }

        private static UncheckedIOException unreadable(Path file, Exception reason, IOException cause) {
            return new UncheckedIOException(
                    "configuration file=" + file + " cannot be read (" + reason
                            + "); check that it exists, is readable and is a properties file in UTF-8",
                    cause);
        }
    }
}
