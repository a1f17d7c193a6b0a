package io.tallystick.store.journal;

import io.tallystick.store.StateKey;
import io.tallystick.store.journal.artemis.ArtemisLibrary;
import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.LogContext;
import io.tallystick.store.journal.engine.RecordLog;
import io.tallystick.store.journal.segmented.SegmentedLog;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** Which log a journal store keeps its records in: the values of {@code tallystick.journal.engine}. */
public enum JournalEngine {
    /** The group-commit log of this library. */
    SEGMENTED("segmented", List.of("direct", "channel", "aio", "uring")) {
        @Override
        RecordLog open(LogContext context, ConcurrentHashMap<StateKey, Append> index) throws IOException {
            return SegmentedLog.open(context, index);
        }
    },
    /** The journal of Apache ActiveMQ Artemis (HornetQ), whose library the class path must have. */
    ARTEMIS("artemis", List.of("channel", "direct", "aio", "uring")) {
        @Override
        void requireLibrary() {
            ArtemisLibrary.require();
        }

        @Override
        RecordLog open(LogContext context, ConcurrentHashMap<StateKey, Append> index) throws IOException {
            return ArtemisLibrary.open(context, index);
        }
    };

    private final String configurationValue;
    private final List<String> supportedIo;

    JournalEngine(String configurationValue, List<String> supportedIo) {
        this.configurationValue = configurationValue;
        this.supportedIo = supportedIo;
    }

    /** The engine with this value of {@code tallystick.journal.engine}. */
    public static JournalEngine of(String configurationValue) {
        for (JournalEngine engine : values()) {
            if (engine.configurationValue.equals(configurationValue)) {
                return engine;
            }
        }
        throw new IllegalArgumentException("tallystick.journal.engine=" + configurationValue + " is unknown");
    }

    /** The value of {@code tallystick.journal.engine}. */
    public String configurationValue() {
        return configurationValue;
    }

    /** What a directory with this engine's files calls itself. */
    String kind() {
        return "journal-" + configurationValue + "-v1";
    }

    /** The values of {@code tallystick.journal.io} that the engine takes, the simplest first. */
    List<String> supportedIo() {
        return supportedIo;
    }

    /**
     * Returns if everything that the engine needs is on the class path.
     *
     * @throws IllegalArgumentException something is missing, naming it
     */
    void requireLibrary() {
        // most engines need nothing
    }

    /** Opens the log and fills the index with the latest version of each key. */
    abstract RecordLog open(LogContext context, ConcurrentHashMap<StateKey, Append> index) throws IOException;
}
