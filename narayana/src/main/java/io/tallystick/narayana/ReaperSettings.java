package io.tallystick.narayana;

import io.tallystick.reaper.CloseMode;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.reaper.TransactionReaper;
import io.tallystick.store.settings.Setting;
import io.tallystick.store.settings.SettingFamily;
import io.tallystick.store.settings.Settings;
import io.tallystick.store.settings.ValueReaders;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The keys {@code tallystick.reaper.*}, as options of a reaper.
 *
 * <p><b>Why they are read here.</b> The reaper knows no other module. {@link Settings}, which reads keys, variables and
 * the properties file, belongs to the stores. This module knows both. So the library has one reader, and the reaper has
 * only typed options. Their bounds stand once, in {@link ReaperOptions}, which checks each value that is read.
 */
public final class ReaperSettings {
    private static final System.Logger LOG = System.getLogger(TransactionReaper.class.getName());
    private static final String PREFIX = "tallystick.reaper.";

    private static final List<Key<?>> KEYS = List.of(
            key(
                    "precision",
                    ValueReaders.duration(),
                    ReaperOptions.Builder::precision,
                    "100ms",
                    "how late a timeout may be noticed, 1ms to 1m; the watch looks twice in this time"),
            key(
                    "workers",
                    ValueReaders.integer(),
                    ReaperOptions.Builder::workers,
                    "4",
                    "threads that cancel at once, apart from stuck ones, 1 to 1024"),
            key(
                    "wedged-after",
                    ValueReaders.duration(),
                    ReaperOptions.Builder::wedgedAfter,
                    "5s",
                    "a worker that spends this time in one cancellation is reported, 1ms to 24h"),
            key(
                    "max-wedged-workers",
                    ValueReaders.integer(),
                    ReaperOptions.Builder::maxWedgedWorkers,
                    "16",
                    "how many stuck workers are replaced, 0 to 1024"),
            key(
                    "stack-capture-lead",
                    ValueReaders.duration(),
                    ReaperOptions.Builder::stackCaptureLead,
                    "0",
                    "how long before the deadline the stack of the registering thread is captured; the expiry shows it."
                            + " 0 is off, at most 365 days"),
            key(
                    "close-mode",
                    ValueReaders.choice(List.of("expire", "wait"), ReaperSettings::closeMode),
                    ReaperOptions.Builder::closeMode,
                    "expire",
                    "how `close()` treats open transactions: `expire` them now, or `wait` for them"),
            key(
                    "close-timeout",
                    ValueReaders.duration(),
                    ReaperOptions.Builder::closeTimeout,
                    "10s",
                    "how long `close()` takes at most, 0 to 365 days"));

    private static final SettingFamily FAMILY =
            SettingFamily.of(PREFIX, KEYS.stream().<Setting<?>>map(Key::setting).toList());

    private ReaperSettings() {}

    /**
     * The values from system properties, the environment, and the properties file that {@code
     * tallystick.configuration-file} names. The first of these that has a value wins.
     *
     * @throws IllegalArgumentException a key under {@code tallystick.reaper.} is unknown or has a bad value
     * @throws java.io.UncheckedIOException the named file cannot be read
     */
    public static ReaperOptions fromEnvironment() {
        return options(Settings.builder(FAMILY).withEnvironment().build());
    }

    /**
     * These values alone, for a framework that reads its configuration itself.
     *
     * @param values texts by keys such as {@code tallystick.reaper.workers}
     * @throws IllegalArgumentException a key is unknown or has a bad value, naming the nearest valid one
     */
    public static ReaperOptions of(Map<String, String> values) {
        Settings.Builder builder = Settings.builder(FAMILY);
        values.forEach(builder::set);
        return options(builder.build());
    }

    /** Every key, in the order of the documentation. */
    public static List<Setting<?>> all() {
        return FAMILY.settings();
    }

    /** All keys, for the reader of the configuration. */
    static SettingFamily family() {
        return FAMILY;
    }

    static ReaperOptions options(Settings settings) {
        ReaperOptions.Builder builder = ReaperOptions.builder();
        KEYS.forEach(key -> key.apply(settings, builder));
        if (!settings.serviceVariables().isEmpty()) {
            LOG.log(
                    Level.INFO,
                    "TALLY0617 environment variables that Kubernetes makes for its services are no settings of the"
                            + " reaper, and are left alone: " + settings.serviceVariables());
        }
        return builder.build();
    }

    private static CloseMode closeMode(String text) {
        return text.equals("expire") ? CloseMode.EXPIRE_OPEN : CloseMode.WAIT_FOR_OPEN;
    }

    private static <T> Key<T> key(
            String name,
            Function<String, T> reader,
            BiFunction<ReaperOptions.Builder, T, ReaperOptions.Builder> setter,
            String defaultText,
            String description) {
        Function<String, T> checking = text -> {
            T value = reader.apply(text);
            setter.apply(ReaperOptions.builder(), value);
            return value;
        };
        return new Key<>(Setting.of(PREFIX + name, checking, Optional.of(defaultText), description), setter);
    }

    /** A setting and the option that takes its value. */
    private record Key<T>(Setting<T> setting, BiFunction<ReaperOptions.Builder, T, ReaperOptions.Builder> setter) {
        void apply(Settings settings, ReaperOptions.Builder builder) {
            settings.find(setting).ifPresent(value -> setter.apply(builder, value));
        }
    }
}
