package io.tallystick.tool.migrate;

import java.io.IOException;
import java.util.Optional;

/** A store that is only read. Nothing is created, changed or locked where it lies. */
interface LogSource {
    /** What it is and where, for people. */
    String description();

    /**
     * Hands over every state, each key once, in any order. Each call reads everything anew.
     *
     * @param findings is told of what cannot be handed over, and of what is worth a remark
     * @throws IOException it cannot be read
     */
    void read(Receiver receiver, Findings findings) throws IOException;

    /** Who has it open, as far as that can be told without a lock of its own; asked before anything is read. */
    default Optional<String> holder() throws IOException {
        return Optional.empty();
    }

    /** Whether nobody can tell if it is in use, so that people must be told to stop what uses it. */
    boolean mustBeStopped();

    /** Takes states. */
    interface Receiver {
        /** Takes one. */
        void take(SourceState state) throws IOException;
    }
}
