package io.tallystick.store;

import io.tallystick.store.settings.SettingFamily;
import io.tallystick.store.settings.Settings;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The choice of a store, its directory and its options. Immutable and checked: every key is known and every value has
 * been read when an instance exists.
 *
 * <p>A value is taken from the first of these places that has it: the builder's {@code set}, system properties,
 * environment variables, the properties file, the default. The order of the builder's calls does not matter. A text
 * that is empty or blank is no value, as if the name were not there.
 *
 * <p>A key of an earlier version still works, and {@link ObjectStores#open(StoreConfiguration)} warns of it. If it is
 * given beside the key that replaces it, in any place, both must have the same value. A value that code sets by its
 * {@link StoreOption} goes before both.
 *
 * <p>Keys that begin with {@code tallystick.reaper.} and {@code tallystick.bench.} belong to other modules and are left
 * to them. In the environment, the variables that Kubernetes makes for a service whose name begins with
 * <i>tallystick</i> ({@code TALLYSTICK_DB_SERVICE_HOST}, {@code TALLYSTICK_DB_PORT_5432_TCP_ADDR}) are left alone.
 */
public final class StoreConfiguration {
    /** The key, system property only or {@code TALLYSTICK_CONFIGURATION_FILE}, that names a properties file. */
    public static final String CONFIGURATION_FILE_KEY = SettingFamily.CONFIGURATION_FILE_KEY;

    private final Settings settings;
    private final Optional<Executor> completionExecutor;
    private final boolean isAdopting;

    private StoreConfiguration(Settings settings, Optional<Executor> completionExecutor, boolean isAdopting) {
        this.settings = settings;
        this.completionExecutor = completionExecutor;
        this.isAdopting = isAdopting;
    }

    /** A builder that has only the defaults. */
    public static Builder builder() {
        return new Builder(Settings.builder(StoreOption.family()));
    }

    /**
     * The values from system properties, the environment, and the file that either of them names.
     *
     * @throws IllegalArgumentException an unknown key or a bad value
     * @throws StoreIoException the named file cannot be read
     */
    public static StoreConfiguration fromEnvironment() {
        return builder().withEnvironment().build();
    }

    /** The value, or the option's default. */
    public <T> Optional<T> find(StoreOption<T> option) {
        return settings.find(option.setting());
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
        return settings.isSet(option.setting());
    }

    /** Where stages of {@link TransactionLog#writeAsync} complete; empty for threads of the store, the default. */
    public Optional<Executor> completionExecutor() {
        return completionExecutor;
    }

    /** Whether the opener adopts the store of a dead node, see {@link Builder#adopting}. */
    public boolean isAdopting() {
        return isAdopting;
    }

    /** A builder that has these values set, and the executor and {@link #isAdopting}. */
    public Builder toBuilder() {
        Builder builder = new Builder(settings.toBuilder());
        builder.completionExecutor = completionExecutor;
        builder.isAdopting = isAdopting;
        return builder;
    }

    /** The values that were given, as texts that give the same values again: for another process. */
    public Map<StoreOption<?>, String> texts() {
        Map<StoreOption<?>, String> texts = new LinkedHashMap<>();
        for (StoreOption<?> option : StoreOption.all()) {
            if (isSet(option)) {
                texts.put(option, textOf(find(option).orElseThrow()));
            }
        }
        return texts;
    }

    private static String textOf(Object value) {
        return value instanceof Enum<?> choice
                ? choice.name().toLowerCase(Locale.ROOT).replace('_', '-')
                : value.toString();
    }

    /** The values that were given, as {@code key=value}, in no order and without secrets. */
    @Override
    public String toString() {
        return settings.toString();
    }

    /** Environment variables of Kubernetes that begin like those of this library, and are left alone. */
    List<String> serviceVariables() {
        return settings.serviceVariables();
    }

    /** Collects values. Each is checked when it is given. */
    public static final class Builder {
        private final Settings.Builder settings;
        private Optional<Executor> completionExecutor = Optional.empty();
        private boolean isAdopting;

        private Builder(Settings.Builder settings) {
            this.settings = settings;
        }

        /** Sets an option. */
        public <T> Builder set(StoreOption<T> option, T value) {
            settings.set(Objects.requireNonNull(option, "option").setting(), value);
            return this;
        }

        /**
         * Sets an option by its key and text.
         *
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder set(String key, String text) {
            settings.set(key, text);
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
         * Has the stages of {@link TransactionLog#writeAsync} complete on this executor, and their dependent actions
         * run there. By default they do on threads of the store, of which there are as many as actions block.
         *
         * <p>One task completes the stages of many writes. While all threads of the executor are blocked, stages
         * wait; nothing else in the store does. If {@link Executor#execute} throws, and once the store is closing,
         * stages complete on threads of the store, each once. There is no key for this: an executor is no text.
         */
        public Builder completionExecutor(Executor executor) {
            completionExecutor = Optional.of(executor);
            return this;
        }

        /**
         * The opener is an adopter: a process that finishes the transactions of a dead node and then leaves. The node
         * itself goes before it. A store on another machine is taken from a living adopter by the node's next
         * start. A store in a directory stays the adopter's until it closes the store; the node's start waits up to
         * {@link StoreOption#PATIENCE} for that. An adopter takes a store from no owner that lives. There is no key for
         * this: an application is never an adopter.
         */
        public Builder adopting() {
            isAdopting = true;
            return this;
        }

        /**
         * Takes the {@code tallystick.*} properties from {@code properties}.
         *
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder withProperties(Properties properties) {
            settings.withProperties(properties);
            return this;
        }

        /**
         * Takes the {@code TALLYSTICK_*} variables from {@code variables}.
         *
         * @throws IllegalArgumentException an unknown name or a bad value, naming the nearest valid one
         */
        public Builder withVariables(Map<String, String> variables) {
            settings.withVariables(variables);
            return this;
        }

        /**
         * Takes the values from a file in the format of {@link Properties}, UTF-8.
         *
         * @throws StoreIoException the file cannot be read
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder withFile(Path file) {
            reading(() -> settings.withFile(file));
            return this;
        }

        /**
         * The process' system properties and environment, and the file that one of them names.
         *
         * @throws StoreIoException the file cannot be read
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder withEnvironment() {
            reading(settings::withEnvironment);
            return this;
        }

        /** The configuration. */
        public StoreConfiguration build() {
            return new StoreConfiguration(settings.build(), completionExecutor, isAdopting);
        }

        private static void reading(Supplier<Settings.Builder> reader) {
            try {
                reader.get();
            } catch (UncheckedIOException unreadable) {
                throw new StoreIoException(unreadable.getMessage(), unreadable.getCause());
            }
        }
    }
}
