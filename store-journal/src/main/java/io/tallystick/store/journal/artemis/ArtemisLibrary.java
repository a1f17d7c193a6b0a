package io.tallystick.store.journal.artemis;

import io.tallystick.store.StateKey;
import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.LogContext;
import io.tallystick.store.journal.engine.RecordLog;
import java.io.IOException;
import java.util.concurrent.ConcurrentHashMap;

/** The one place that knows that the Artemis journal may be missing from the class path. */
public final class ArtemisLibrary {
    private static final String ARTIFACT = "org.apache.artemis:artemis-journal";

    private ArtemisLibrary() {}

    /**
     * Returns if the library is there.
     *
     * @throws IllegalArgumentException it is not, naming the artifact
     */
    public static void require() {
        try {
            Class.forName(
                    "org.apache.activemq.artemis.core.journal.impl.JournalImpl",
                    true,
                    ArtemisLibrary.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError missing) {
            throw absent(missing);
        }
    }

    /**
     * As {@link ArtemisLog#open}.
     *
     * @throws IllegalArgumentException the library, or something that it needs, is missing from the class path
     */
    public static RecordLog open(LogContext context, ConcurrentHashMap<StateKey, Append> index) throws IOException {
        try {
            return ArtemisLog.open(context, index);
        } catch (NoClassDefFoundError missing) {
            throw absent(missing);
        }
    }

    private static IllegalArgumentException absent(Throwable missing) {
        return new IllegalArgumentException(
                "tallystick.journal.engine=artemis needs the artifact " + ARTIFACT
                        + " and what it depends on, but the class path lacks " + missing.getMessage()
                        + "; add the artifact, or configure tallystick.journal.engine=segmented",
                missing);
    }
}
