package io.tallystick.store;

import io.tallystick.store.spi.NearestName;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * One configuration key: its name, how its text is read, its default, and what it does. All keys of this library are
 * constants here, so an unknown key can be told from a known one wherever it stands.
 *
 * @param <T> what the text stands for
 */
public final class StoreOption<T> {
    /** One kibibyte, bytes. */
    public static final long KIB = 1024;
    /** One mebibyte, bytes. */
    public static final long MIB = 1024 * KIB;
    /** One gibibyte, bytes. */
    public static final long GIB = 1024 * MIB;

    private static final List<StoreOption<?>> ALL = new ArrayList<>();

    /** Which store: {@code inmemory}, {@code file}, {@code journal}, or the name of another provider. */
    public static final StoreOption<String> STORE =
            add("tallystick.store", text -> text, "journal", "which store: inmemory, file, journal");

    /** Where the file and journal stores live. */
    public static final StoreOption<Path> DIRECTORY = add(
            "tallystick.directory",
            StoreOption::parsePath,
            null,
            "the store's own directory; required for file and journal, created with its parents if it is missing");

    /** Whether an empty or missing directory is refused, because a store is expected to be there. */
    public static final StoreOption<Boolean> EXPECT_EXISTING = add(
            "tallystick.expect-existing",
            choice(List.of("true", "false"), Boolean::valueOf),
            false,
            "refuse a directory without a store, as after a volume was not mounted: true, false");

    /** The node that opens the store, to notice a volume that was mounted at the wrong one. */
    public static final StoreOption<String> NODE_ID = add(
            "tallystick.node-id",
            StoreOption::parseNodeId,
            null,
            "the node that the store belongs to, kept in its directory at the first opening that has one, refused if another"
                    + " is kept there: 1 to 64 printable ASCII characters without a space");

    /** The journal's engine. */
    public static final StoreOption<String> JOURNAL_ENGINE = add(
            "tallystick.journal.engine",
            choice(List.of("segmented", "artemis"), text -> text),
            "segmented",
            "segmented (group-commit log of this library), artemis (the HornetQ journal)");

    /** How the journal's bytes reach the disk. */
    public static final StoreOption<String> JOURNAL_IO = add(
            "tallystick.journal.io",
            choice(List.of("auto", "channel", "direct", "aio", "uring"), text -> text),
            "auto",
            "auto (probe the directory and choose), channel (write and fdatasync), direct (O_DIRECT and O_DSYNC),"
                    + " aio (Linux AIO), uring (io_uring)");

    /** How threads wait for the journal. */
    public static final StoreOption<String> JOURNAL_WAIT_STRATEGY = add(
            "tallystick.journal.wait-strategy",
            choice(List.of("auto", "yielding"), text -> text),
            "auto",
            "how threads wait for a write that is under way: auto (sleep, and yield first where all processors are busy),"
                    + " yielding (yield first also where that keeps idle processors busy: more commits with 3 to 60 threads,"
                    + " for more processor time)");

    /** Size of one journal file. */
    public static final StoreOption<Long> JOURNAL_SEGMENT_SIZE = add(
            "tallystick.journal.segment-size",
            size(64 * KIB, 2 * GIB - MIB),
            32 * MIB,
            "size of one journal file, 64KiB to 2047MiB");

    /** Journal files made ahead when a store is created. */
    public static final StoreOption<Integer> JOURNAL_SEGMENTS = add(
            "tallystick.journal.segments",
            integer(4, 4096),
            4,
            "journal files made when a store is created, 4 to 4096");

    /** Alignment of the journal's writes. */
    public static final StoreOption<Long> JOURNAL_BLOCK_SIZE = add(
            "tallystick.journal.block-size",
            powerOfTwo(512, 64 * KIB),
            4 * KIB,
            "alignment of the journal's writes, a power of two from 512 to 64KiB; at least the disk's block");

    /** The largest state, for all stores. */
    public static final StoreOption<Long> MAX_RECORD_SIZE = add(
            "tallystick.journal.max-record-size",
            size(KIB, 256 * MIB),
            MIB,
            "the largest state that a store accepts, 1KiB to 256MiB; a quarter of a journal's segment at most");

    /** What {@code remove} does in the transaction manager's log. */
    public static final StoreOption<Durability> REMOVE_DURABILITY = add(
            "tallystick.remove-durability",
            choice(List.of("deferred", "forced"), text -> Durability.valueOf(text.toUpperCase(Locale.ROOT))),
            Durability.DEFERRED,
            "how a transaction manager's adaptor removes finished records: deferred, forced");

    /** What happens when the outcome of a write is unknown. */
    public static final StoreOption<OnUnknownOutcome> ON_UNKNOWN_OUTCOME = add(
            "tallystick.on-unknown-outcome",
            choice(List.of("throw", "halt"), text -> OnUnknownOutcome.valueOf(text.toUpperCase(Locale.ROOT))),
            OnUnknownOutcome.THROW,
            "throw OutcomeUnknownException, or halt the process as a database would: throw, halt");

    /** Whether the store can be seen by management clients. */
    public static final StoreOption<Boolean> JMX = add(
            "tallystick.jmx",
            choice(List.of("true", "false"), Boolean::valueOf),
            false,
            "register an MXBean of the open store, io.tallystick:type=ObjectStore,name=\"the directory\": true, false");

    private static final List<StoreOption<?>> KNOWN = List.copyOf(ALL);

    private final String key;
    private final Function<String, T> parser;
    private final T defaultValue;
    private final String description;

    private StoreOption(String key, Function<String, T> parser, T defaultValue, String description) {
        this.key = key;
        this.parser = parser;
        this.defaultValue = defaultValue;
        this.description = description;
    }

    /** What a store does when it cannot know whether a write is on disk. */
    public enum OnUnknownOutcome {
        /** The caller gets {@link OutcomeUnknownException}. */
        THROW,
        /** The process ends at once with status 70, so that recovery alone decides. */
        HALT
    }

    /** Every option of this library's stores, in the order of the documentation. */
    public static List<StoreOption<?>> all() {
        return KNOWN;
    }

    /** The option with this key. */
    public static Optional<StoreOption<?>> named(String key) {
        return KNOWN.stream().filter(option -> option.key.equals(key)).findFirst();
    }

    /** The key, such as {@code tallystick.journal.io}. */
    public String key() {
        return key;
    }

    /** The name of the environment variable, such as {@code TALLYSTICK_JOURNAL_IO}. */
    public String environmentName() {
        return key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** The value where nothing is configured; empty where a value is required. */
    public Optional<T> defaultValue() {
        return Optional.ofNullable(defaultValue);
    }

    /** What it does and which values it takes. */
    public String description() {
        return description;
    }

    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException the text is no value of this option, naming the key and what it takes
     */
    public T parse(String text) {
        Objects.requireNonNull(text, "text");
        try {
            return parser.apply(text.trim());
        } catch (IllegalArgumentException bad) {
            String nearest = bad.getMessage();
            throw new IllegalArgumentException(
                    key + "='" + Printable.of(text) + "' is not valid" + (nearest == null ? "" : ": " + nearest)
                            + "; it takes: " + description,
                    bad);
        }
    }

    @Override
    public String toString() {
        return key;
    }

    private static <T> StoreOption<T> add(String key, Function<String, T> parser, T defaultValue, String description) {
        StoreOption<T> option = new StoreOption<>(key, parser, defaultValue, description);
        ALL.add(option);
        return option;
    }

    private static Path parsePath(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the path is empty");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException bad) {
            throw new IllegalArgumentException("not a path, " + bad.getReason(), bad);
        }
    }

    private static String parseNodeId(String text) {
        if (text.isEmpty() || text.length() > 64 || text.chars().anyMatch(each -> each < '!' || each > '~')) {
            throw new IllegalArgumentException("not the id of a node");
        }
        return text;
    }

    private static <T> Function<String, T> choice(List<String> values, Function<String, T> parser) {
        return text -> {
            if (!values.contains(text)) {
                throw new IllegalArgumentException("did you mean '" + NearestName.of(text, values) + "'?");
            }
            return parser.apply(text);
        };
    }

    private static Function<String, Integer> integer(int lowest, int highest) {
        return text -> {
            int value;
            try {
                value = Integer.parseInt(text);
            } catch (NumberFormatException bad) {
                throw new IllegalArgumentException("not a whole number", bad);
            }
            if (value < lowest || value > highest) {
                throw new IllegalArgumentException("not between " + lowest + " and " + highest);
            }
            return value;
        };
    }

    private static Function<String, Long> size(long lowest, long highest) {
        return text -> {
            long bytes = SizeText.parse(text);
            if (bytes < lowest || bytes > highest) {
                throw new IllegalArgumentException(
                        "not between " + SizeText.format(lowest) + " and " + SizeText.format(highest));
            }
            return bytes;
        };
    }

    private static Function<String, Long> powerOfTwo(long lowest, long highest) {
        return text -> {
            long bytes = size(lowest, highest).apply(text);
            if (Long.bitCount(bytes) != 1) {
                throw new IllegalArgumentException("not a power of two");
            }
            return bytes;
        };
    }
}
