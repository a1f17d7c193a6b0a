package io.tallystick.store.journal.artemis;

import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells whether the Artemis library is on the class path. The library is a dependency of this artifact, but a build
 * may have excluded it, or a part of it.
 */
final class ArtemisLibrary {
    private static final String ARTIFACT = "org.apache.artemis:artemis-journal";

    /**
     * One class of each jar that every opening needs: the journal, its commons, netty's buffers and utilities,
     * logging.
     */
    private static final List<String> NEEDED = List.of(
            "org.apache.activemq.artemis.core.journal.impl.JournalImpl",
            "org.apache.activemq.artemis.api.core.ActiveMQBuffers",
            "io.netty.buffer.ByteBuf",
            "io.netty.util.ReferenceCounted",
            "org.slf4j.Logger");

    private ArtemisLibrary() {}

    /**
     * Checks that the library is there.
     *
     * @throws IllegalArgumentException it is not; the message names the artifact
     */
    static void require() {
        try {
            for (String name : NEEDED) {
                Class.forName(name, true, ArtemisLibrary.class.getClassLoader());
            }
        } catch (ClassNotFoundException | LinkageError missing) {
            throw absent(missing);
        }
    }

    /**
     * As {@link ArtemisLog#open}.
     *
     * @throws IllegalArgumentException the library, or something that it needs, is missing from the class path
     */
    static RecordLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index) throws IOException {
        try {
            return ArtemisLog.open(context, index);
        } catch (NoClassDefFoundError missing) {
            throw absent(missing);
        }
    }

    private static IllegalArgumentException absent(Throwable missing) {
        return new IllegalArgumentException(
                "tallystick.journal.engine=artemis needs the artifact " + ARTIFACT
                        + " and its dependencies, but the class path lacks " + missing.getMessage()
                        + "; add the artifact, or configure tallystick.journal.engine=segmented",
                missing);
    }
}
