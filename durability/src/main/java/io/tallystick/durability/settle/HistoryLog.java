package io.tallystick.durability.settle;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The log of one history: its place, and what is in it, seen from outside. */
interface HistoryLog {
    /** The settings that name it for a process of the node, by their keys. */
    Map<String, String> settings();

    /** The arguments that name it for the tool. */
    List<String> words();

    /** Opens it as its node would. */
    StoreConfiguration configuration();

    /** Whether it lies in a database: it has no quarantine then, and a command takes longer. */
    boolean isInDatabase();

    /** Reads it, and takes nothing. */
    StoreInspection inspection();

    /** Remembers all that is there now. */
    Changes remembered() throws IOException;

    /** Returns when nothing works on it any more for a process that was killed. */
    void awaitEndOfKilled() throws IOException, InterruptedException;

    /** Deletes it. */
    void delete() throws IOException;

    /** What has changed since a log was remembered. */
    @FunctionalInterface
    interface Changes {
        /** The first change, for people; empty if there is none. */
        Optional<String> first() throws IOException;
    }
}
