package io.tallystick.store.journal.artemis;

import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells whether the Artemis library is on the class path. The library is a dependency of this artifact, but a build
 * may have excluded it, or a part of it. A build may also have it twice: Artemis has changed its group id, and its
 * packages have kept their names.
 */
final class ArtemisLibrary {
    private static final String ARTIFACT = "org.apache.artemis:artemis-journal";
    /** The oldest version of either group id that the tests have run on. */
    private static final String OLDEST = "2.33";

    /** One class of each jar of Artemis, the journal and its commons. Both group ids have them. */
    private static final List<String> NAMED = List.of(
            "org.apache.activemq.artemis.core.journal.impl.JournalImpl",
            "org.apache.activemq.artemis.api.core.ActiveMQBuffers");

    /**
     * One class of each jar that every opening needs: the journal, its commons, netty's buffers and utilities,
     * logging.
     */
    private static final List<String> NEEDED = List.of(
            NAMED.get(0),
            NAMED.get(1),
            "io.netty.buffer.ByteBuf",
            "io.netty.util.ReferenceCounted",
            "org.slf4j.Logger");

    private ArtemisLibrary() {}

    /**
     * Checks that the library is there, and has all that this engine calls.
     *
     * @throws IllegalArgumentException it is not, or has not; the message names the artifact, or the jars
     */
    static void require() {
        Optional<String> missing;
        try {
            for (String name : NEEDED) {
                Class.forName(name, true, ArtemisLibrary.class.getClassLoader());
            }
            missing = CalledMembers.firstMissing(ArtemisLibrary.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError absent) {
            throw unusable(absent.getMessage(), absent);
        }
        if (missing.isPresent()) {
            throw unusable(missing.get(), null);
        }
    }

    /**
     * As {@link ArtemisLog#open}.
     *
     * @throws IllegalArgumentException the library, or something that it needs, is missing from the class path, or does
     *     not fit
     */
    static RecordLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index) throws IOException {
        try {
            return ArtemisLog.open(context, index);
        } catch (LinkageError unfit) {
            throw unusable(unfit.getMessage(), unfit);
        }
    }

    private static IllegalArgumentException unusable(String missing, Throwable cause) {
        List<String> copies = copies();
        if (copies.size() > NAMED.size()) {
            return new IllegalArgumentException(
                    "tallystick.journal.engine=artemis cannot use the Artemis library: the class path has it more than"
                            + " once, in " + String.join(", ", copies) + ", and what Java takes of them lacks "
                            + missing
                            + "; org.apache.activemq:artemis-* is the former group id of org.apache.artemis:artemis-*:"
                            + " exclude the older one, or configure tallystick.journal.engine=segmented",
                    cause);
        }
        return new IllegalArgumentException(
                "tallystick.journal.engine=artemis needs the artifact " + ARTIFACT + ", " + OLDEST
                        + " or later, and its dependencies, but the class path lacks " + missing
                        + (copies.isEmpty() ? "" : " and has " + String.join(", ", copies))
                        + "; add the artifact, or configure tallystick.journal.engine=segmented",
                cause);
    }

    /** The jars that have the journal or its commons, in the order of the class path. */
    private static List<String> copies() {
        List<String> copies = new ArrayList<>();
        for (String name : NAMED) {
            String resource = name.replace('.', '/') + ".class";
            try {
                for (URL url :
                        Collections.list(ArtemisLibrary.class.getClassLoader().getResources(resource))) {
                    String text = url.toString();
                    copies.add(
                            text.substring(0, text.length() - resource.length()).replaceFirst("!?/$", ""));
                }
            } catch (IOException unreadable) {
                copies.add("a jar that cannot be read (" + unreadable.getMessage() + ")");
            }
        }
        return copies;
    }
}
