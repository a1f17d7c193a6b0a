package io.tallystick.narayana.logs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A store that is only read. Nothing is created, changed or locked where it lies. */
public interface LogSource {
    /** The kind and place of the source, for people. */
    String description();

    /**
     * Passes every state to the receiver, each key once, in any order. Each call reads the source anew.
     *
     * @param findings receives the states that cannot be passed on, and remarks
     * @throws IOException it cannot be read
     */
    void read(Receiver receiver, Findings findings) throws IOException;

    /** The process that has the source open, if that is known without a lock; asked before anything is read. */
    default Optional<String> holder() throws IOException {
        return Optional.empty();
    }

    /** Whether the use of the source cannot be detected, so that the tool asks people to stop its user. */
    boolean mustBeStopped();

    /** The directory in which a migration leaves its mark; empty where a source takes none. */
    default Optional<Path> markPlace() {
        return Optional.empty();
    }

    /** Takes states. */
    interface Receiver {
        /** Receives a state. */
        void take(SourceState state) throws IOException;
    }
}
