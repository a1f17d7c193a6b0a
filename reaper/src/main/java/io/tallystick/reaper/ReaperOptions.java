package io.tallystick.reaper;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

/**
 * How a reaper works. Immutable and checked: every value is within its bounds when an instance exists. Each setting has
 * a key under {@code tallystick.reaper.}, and the environment variable that is made from it, such as
 * {@code TALLYSTICK_REAPER_PRECISION}.
 */
public final class ReaperOptions {
    /** The key of {@link #precision}. */
    public static final String PRECISION = "tallystick.reaper.precision";
    /** The key of {@link #idleAfter}. */
    public static final String IDLE_AFTER = "tallystick.reaper.idle-after";
    /** The key of {@link #workers}. */
    public static final String WORKERS = "tallystick.reaper.workers";
    /** The key of {@link #wedgedAfter}. */
    public static final String WEDGED_AFTER = "tallystick.reaper.wedged-after";
    /** The key of {@link #maxWedgedWorkers}. */
    public static final String MAX_WEDGED_WORKERS = "tallystick.reaper.max-wedged-workers";
    /** The key of {@link #stackCaptureLead}. */
    public static final String STACK_CAPTURE_LEAD = "tallystick.reaper.stack-capture-lead";
    /** The key of {@link #stackCapturesPerLook}. */
    public static final String STACK_CAPTURES_PER_LOOK = "tallystick.reaper.stack-captures-per-look";
    /** The key of {@link #closeMode}. */
    public static final String CLOSE_MODE = "tallystick.reaper.close-mode";
    /** The key of {@link #closeTimeout}. */
    public static final String CLOSE_TIMEOUT = "tallystick.reaper.close-timeout";
    /** The key of {@link #stripes}. */
    public static final String STRIPES = "tallystick.reaper.stripes";
    /** The key of {@link #threadName}. */
    public static final String THREAD_NAME = "tallystick.reaper.thread-name";

    private static final String PREFIX = "tallystick.reaper.";
    private static final String ENVIRONMENT_PREFIX = "TALLYSTICK_REAPER_";
    private static final String FILE_KEY = "tallystick.configuration-file";
    private static final Duration LONGEST = Duration.ofDays(365);

    private static final ReaperOptions DEFAULTS = new Builder().build();

    private final Map<Key, Object> values;
    private final ReaperListener listener;
    private final ThreadFactory threadFactory;

    private ReaperOptions(Builder builder) {
        values = new EnumMap<>(Key.class);
        for (Key key : Key.values()) {
            values.put(key, builder.values.getOrDefault(key, key.defaultValue));
        }
        listener = builder.listener;
        threadFactory = builder.threadFactory;
    }

    /** All defaults. */
    public static ReaperOptions defaults() {
        return DEFAULTS;
    }

    /** A builder that knows nothing but the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * What system properties, the environment and the properties file that {@code tallystick.configuration-file} names
     * say, the first that has a value.
     *
     * @throws IllegalArgumentException an unknown key or a bad value
     * @throws UncheckedIOException the named file cannot be read
     */
    public static ReaperOptions fromEnvironment() {
        return builder().withEnvironment().build();
    }

    /** Every key, in the order of the documentation. */
    public static List<String> keys() {
        return Arrays.stream(Key.values()).map(key -> key.text).toList();
    }

    /** A builder that has these values set. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.values.putAll(values);
        builder.listener = listener;
        builder.threadFactory = threadFactory;
        return builder;
    }

    /**
     * How late a timeout may be noticed, apart from load; 1 ms to 1 min, default 100 ms. The reaper looks twice in this
     * time while transactions come in.
     */
    public Duration precision() {
        return (Duration) values.get(Key.PRECISION);
    }

    /**
     * How long after the last new transaction the reaper goes on looking in every tick; 0 to 1 h, default 1 s. After
     * that it sleeps until something may be due, and without an open transaction its thread ends.
     */
    public Duration idleAfter() {
        return (Duration) values.get(Key.IDLE_AFTER);
    }

    /** How many threads cancel at once, apart from those that are stuck; 1 to 1024, default 4. */
    public int workers() {
        return (Integer) values.get(Key.WORKERS);
    }

    /** After which time in one cancellation a worker is reported as wedged; 1 ms to 1 day, default 5 s. */
    public Duration wedgedAfter() {
        return (Duration) values.get(Key.WEDGED_AFTER);
    }

    /** How many stuck workers are replaced; 0 to 1024, default 16. */
    public int maxWedgedWorkers() {
        return (Integer) values.get(Key.MAX_WEDGED_WORKERS);
    }

    /**
     * How long before its deadline the stack of the thread that registered a transaction is captured, to be told with
     * the expiry; 0 to 365 days, default 0: not at all. A transaction with a shorter timeout has it captured at the
     * first look.
     */
    public Duration stackCaptureLead() {
        return (Duration) values.get(Key.STACK_CAPTURE_LEAD);
    }

    /**
     * How many stacks are captured at one look; 1 to 10000, default 16. When more transactions come near their deadlines
     * at once, the others expire without a stack.
     */
    public int stackCapturesPerLook() {
        return (Integer) values.get(Key.STACK_CAPTURES_PER_LOOK);
    }

    /** What {@link TransactionReaper#close()} does to open transactions; default {@link CloseMode#EXPIRE_OPEN}. */
    public CloseMode closeMode() {
        return (CloseMode) values.get(Key.CLOSE_MODE);
    }

    /** How long {@link TransactionReaper#close()} takes at most; 0 to 365 days, default 10 s. */
    public Duration closeTimeout() {
        return (Duration) values.get(Key.CLOSE_TIMEOUT);
    }

    /**
     * Into how many lists arrivals are spread; a power of two from 1 to 1024, default 32 for each processor, rounded up: of
     * the threads that run at the same time two shall seldom have the same one. A list takes 128 bytes.
     */
    public int stripes() {
        int stripes = (Integer) values.get(Key.STRIPES);
        return stripes != 0 ? stripes : stripesFor(Runtime.getRuntime().availableProcessors());
    }

    /**
     * What the reaper's own thread is called, default {@code tallystick-reaper}; its workers add {@code -worker-} and a
     * number. Without effect beside {@link Builder#threadFactory}.
     */
    public String threadName() {
        return (String) values.get(Key.THREAD_NAME);
    }

    /** Who is told of expiries; default {@link ReaperListener#logging}. */
    public ReaperListener listener() {
        return listener;
    }

    /** What makes the reaper's thread and its workers; empty for named daemon threads. */
    public Optional<ThreadFactory> threadFactory() {
        return Optional.ofNullable(threadFactory);
    }

    /** Every setting as {@code key=value}, separated by spaces. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Key key : Key.values()) {
            text.append(text.length() == 0 ? "" : " ")
                    .append(key.text)
                    .append('=')
                    .append(key.print(values.get(key)));
        }
        return text.toString();
    }

    private static int stripesFor(int processors) {
        return Math.min(1024, Integer.highestOneBit(32 * processors * 2 - 1));
    }

    /** Collects values, each checked when it is set. */
    public static final class Builder {
        private final Map<Key, Object> values = new EnumMap<>(Key.class);
        private ReaperListener listener = ReaperListener.logging();
        private ThreadFactory threadFactory;

        private Builder() {}

        /** Sets {@link ReaperOptions#precision}. */
        public Builder precision(Duration precision) {
            return set(Key.PRECISION, precision);
        }

        /** Sets {@link ReaperOptions#idleAfter}. */
        public Builder idleAfter(Duration idleAfter) {
            return set(Key.IDLE_AFTER, idleAfter);
        }

        /** Sets {@link ReaperOptions#workers}. */
        public Builder workers(int workers) {
            return set(Key.WORKERS, workers);
        }

        /** Sets {@link ReaperOptions#wedgedAfter}. */
        public Builder wedgedAfter(Duration wedgedAfter) {
            return set(Key.WEDGED_AFTER, wedgedAfter);
        }

        /** Sets {@link ReaperOptions#maxWedgedWorkers}. */
        public Builder maxWedgedWorkers(int maxWedgedWorkers) {
            return set(Key.MAX_WEDGED_WORKERS, maxWedgedWorkers);
        }

        /** Sets {@link ReaperOptions#stackCaptureLead}. */
        public Builder stackCaptureLead(Duration lead) {
            return set(Key.STACK_CAPTURE_LEAD, lead);
        }

        /** Sets {@link ReaperOptions#stackCapturesPerLook}. */
        public Builder stackCapturesPerLook(int captures) {
            return set(Key.STACK_CAPTURES_PER_LOOK, captures);
        }

        /** Sets {@link ReaperOptions#closeMode}. */
        public Builder closeMode(CloseMode mode) {
            return set(Key.CLOSE_MODE, mode);
        }

        /** Sets {@link ReaperOptions#closeTimeout}. */
        public Builder closeTimeout(Duration closeTimeout) {
            return set(Key.CLOSE_TIMEOUT, closeTimeout);
        }

        /** Sets {@link ReaperOptions#stripes}. */
        public Builder stripes(int stripes) {
            return set(Key.STRIPES, stripes);
        }

        /** Sets {@link ReaperOptions#threadName}. */
        public Builder threadName(String name) {
            return set(Key.THREAD_NAME, name);
        }

        /** Sets {@link ReaperOptions#listener}. */
        public Builder listener(ReaperListener listener) {
            this.listener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** Sets {@link ReaperOptions#threadFactory}. Its threads decide by themselves whether they keep the JVM alive. */
        public Builder threadFactory(ThreadFactory threadFactory) {
            this.threadFactory = Objects.requireNonNull(threadFactory, "threadFactory");
            return this;
        }

        /**
         * Sets an option by its key and text.
         *
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder set(String key, String text) {
            values.putAll(read(Map.of(key, text), Key::text, "the builder"));
            return this;
        }

        /**
         * Takes the {@code tallystick.reaper.*} entries from {@code properties}; other keys are left alone.
         *
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder withProperties(Properties properties) {
            values.putAll(read(ours(properties), Key::text, "the properties"));
            return this;
        }

        /**
         * Takes the {@code tallystick.reaper.*} entries from {@code entries}; other keys are left alone.
         *
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         */
        public Builder withMap(Map<String, String> entries) {
            values.putAll(read(startingWith(PREFIX, entries), Key::text, "the map"));
            return this;
        }

        /**
         * Takes the {@code TALLYSTICK_REAPER_*} variables from {@code variables}; others are left alone.
         *
         * @throws IllegalArgumentException an unknown name or a bad value, naming the nearest valid one
         */
        public Builder withVariables(Map<String, String> variables) {
            values.putAll(
                    read(startingWith(ENVIRONMENT_PREFIX, variables), Key::variable, "the environment variables"));
            return this;
        }

        /**
         * Takes what this builder has not set already from system properties, then from the environment, then from the
         * properties file (UTF-8) that {@code tallystick.configuration-file} or
         * {@code TALLYSTICK_CONFIGURATION_FILE} names.
         *
         * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
         * @throws UncheckedIOException the named file cannot be read
         */
        public Builder withEnvironment() {
            Map<Key, Object> merged = new EnumMap<>(Key.class);
            String file = System.getProperty(FILE_KEY, System.getenv(variableOf(FILE_KEY)));
            if (file != null) {
                merged.putAll(read(ours(load(Path.of(file))), Key::text, "file " + file));
            }
            merged.putAll(read(
                    startingWith(ENVIRONMENT_PREFIX, System.getenv()), Key::variable, "the environment variables"));
            merged.putAll(read(ours(System.getProperties()), Key::text, "the system properties"));
            merged.putAll(values);
            values.putAll(merged);
            return this;
        }

        /** The options. */
        public ReaperOptions build() {
            return new ReaperOptions(this);
        }

        private Builder set(Key key, Object value) {
            values.put(key, key.checked(Objects.requireNonNull(value, key.text)));
            return this;
        }

        private static Map<String, String> ours(Properties properties) {
            Map<String, String> entries = new HashMap<>();
            for (String name : properties.stringPropertyNames()) {
                entries.put(name, properties.getProperty(name));
            }
            return startingWith(PREFIX, entries);
        }

        private static Map<String, String> startingWith(String prefix, Map<String, String> entries) {
            Map<String, String> ours = new HashMap<>(entries);
            ours.keySet().removeIf(name -> !name.startsWith(prefix));
            return ours;
        }

        private static Map<Key, Object> read(Map<String, String> entries, Function<Key, String> naming, String place) {
            Map<Key, Object> read = new EnumMap<>(Key.class);
            entries.forEach((name, text) -> {
                Key key = Key.named(name, naming, place);
                read.put(key, key.parse(text));
            });
            return read;
        }

        private static Properties load(Path file) {
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                properties.load(reader);
                return properties;
            } catch (IOException unreadable) {
                throw new UncheckedIOException(
                        "configuration file=" + file + " cannot be read (" + unreadable
                                + "); check that it exists, is readable and is a properties file in UTF-8",
                        unreadable);
            }
        }
    }

    private static String variableOf(String key) {
        return key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** One setting: its key, how its text is read, which values it takes. */
    private enum Key {
        PRECISION(
                ReaperOptions.PRECISION,
                Duration.ofMillis(100),
                Kind.duration(Duration.ofMillis(1), Duration.ofMinutes(1))),
        IDLE_AFTER(ReaperOptions.IDLE_AFTER, Duration.ofSeconds(1), Kind.duration(Duration.ZERO, Duration.ofHours(1))),
        WORKERS(ReaperOptions.WORKERS, 4, Kind.integer(1, 1024)),
        WEDGED_AFTER(
                ReaperOptions.WEDGED_AFTER,
                Duration.ofSeconds(5),
                Kind.duration(Duration.ofMillis(1), Duration.ofDays(1))),
        MAX_WEDGED_WORKERS(ReaperOptions.MAX_WEDGED_WORKERS, 16, Kind.integer(0, 1024)),
        STACK_CAPTURE_LEAD(ReaperOptions.STACK_CAPTURE_LEAD, Duration.ZERO, Kind.duration(Duration.ZERO, LONGEST)),
        STACK_CAPTURES_PER_LOOK(ReaperOptions.STACK_CAPTURES_PER_LOOK, 16, Kind.integer(1, 10_000)),
        CLOSE_MODE(ReaperOptions.CLOSE_MODE, CloseMode.EXPIRE_OPEN, Kind.closeMode()),
        CLOSE_TIMEOUT(ReaperOptions.CLOSE_TIMEOUT, Duration.ofSeconds(10), Kind.duration(Duration.ZERO, LONGEST)),
        STRIPES(ReaperOptions.STRIPES, 0, Kind.stripes()),
        THREAD_NAME(ReaperOptions.THREAD_NAME, "tallystick-reaper", Kind.name());

        private final String text;
        private final Object defaultValue;
        private final Kind kind;

        Key(String text, Object defaultValue, Kind kind) {
            this.text = text;
            this.defaultValue = defaultValue;
            this.kind = kind;
        }

        static Key named(String name, Function<Key, String> naming, String place) {
            return Arrays.stream(values())
                    .filter(key -> naming.apply(key).equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("unknown key '" + name + "' in " + place
                            + "; did you mean '"
                            + NearestName.of(
                                    name, Arrays.stream(values()).map(naming).toList())
                            + "'?"));
        }

        String text() {
            return text;
        }

        String variable() {
            return variableOf(text);
        }

        Object parse(String value) {
            Object parsed;
            try {
                parsed = kind.parser.apply(value.trim());
            } catch (IllegalArgumentException bad) {
                throw invalid("'" + value + "'", bad.getMessage(), bad);
            }
            return checked(parsed);
        }

        Object checked(Object value) {
            String complaint = kind.complaint.apply(value);
            if (complaint != null) {
                throw invalid(print(value), complaint, null);
            }
            return value;
        }

        String print(Object value) {
            return kind.printer.apply(value);
        }

        private IllegalArgumentException invalid(String value, String complaint, Throwable cause) {
            return new IllegalArgumentException(
                    text + "=" + value + " is not valid: " + complaint + "; it takes " + kind.takes, cause);
        }
    }

    /** A kind of value: what it takes, how it is read and printed, and what is wrong with one (null if nothing is). */
    private record Kind(
            String takes,
            Function<String, Object> parser,
            Function<Object, String> printer,
            Function<Object, String> complaint) {
        static Kind duration(Duration shortest, Duration longest) {
            String takes = "a duration from " + DurationText.of(shortest) + " to " + DurationText.of(longest);
            return new Kind(takes, DurationText::parse, value -> DurationText.of((Duration) value), value -> {
                Duration duration = (Duration) value;
                return duration.compareTo(shortest) < 0
                        ? "the nearest valid one is " + DurationText.of(shortest)
                        : duration.compareTo(longest) > 0
                                ? "the nearest valid one is " + DurationText.of(longest)
                                : null;
            });
        }

        static Kind integer(int lowest, int highest) {
            String takes = "a whole number from " + lowest + " to " + highest;
            return new Kind(takes, Kind::parseInt, Object::toString, value -> {
                int number = (Integer) value;
                return number < lowest
                        ? "the nearest valid one is " + lowest
                        : number > highest ? "the nearest valid one is " + highest : null;
            });
        }

        static Kind stripes() {
            return new Kind(
                    "auto, or a power of two from 1 to 1024",
                    text -> text.equals("auto") ? (Integer) 0 : parseInt(text),
                    value -> value.equals(0) ? "auto" : value.toString(),
                    value -> {
                        int number = (Integer) value;
                        int nearest = Integer.highestOneBit(Math.max(1, Math.min(1024, number)));
                        return number == 0 || number == nearest ? null : "the nearest valid one is " + nearest;
                    });
        }

        static Kind closeMode() {
            Map<String, CloseMode> modes = Map.of("expire", CloseMode.EXPIRE_OPEN, "wait", CloseMode.WAIT_FOR_OPEN);
            Function<String, Object> parser = text -> {
                CloseMode mode = modes.get(text);
                if (mode == null) {
                    throw new IllegalArgumentException("did you mean '" + NearestName.of(text, modes.keySet()) + "'?");
                }
                return mode;
            };
            return new Kind(
                    "expire or wait",
                    parser,
                    value -> value == CloseMode.EXPIRE_OPEN ? "expire" : "wait",
                    value -> null);
        }

        static Kind name() {
            return new Kind(
                    "a name that is not empty",
                    text -> text,
                    Object::toString,
                    value -> value.toString().isBlank() ? "it is empty" : null);
        }

        private static Object parseInt(String text) {
            try {
                return Integer.parseInt(text);
            } catch (NumberFormatException bad) {
                throw new IllegalArgumentException("not a whole number", bad);
            }
        }
    }
}
