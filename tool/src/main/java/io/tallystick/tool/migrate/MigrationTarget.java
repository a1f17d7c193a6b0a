package io.tallystick.tool.migrate;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The place of the new store. The store is made out of reach and becomes the store of this place in one step, so that a
 * transaction manager never finds a part of it.
 */
interface MigrationTarget extends AutoCloseable {
    /** The place, for people and programs. */
    String name();

    /** The place in a message, such as {@code directory=/var/lib/tx}. */
    String place();

    /** The remedy if the place has a store with other data. */
    String remedy();

    /** The kind of the new store, in the words of the configuration. */
    String description();

    /** What no other store has, for {@link io.tallystick.narayana.logs.MigrationMark}; empty if there is no store. */
    String identity(Disk disk) throws IOException;

    /** Whether the place has a store already. */
    boolean isPublished() throws IOException;

    /**
     * Whether the store that the place has may be replaced, because nothing was ever written to it and it is closed.
     * {@link #publish} refuses if it was opened since.
     */
    boolean isReplaceable();

    /** Whether an earlier run was cut off. */
    boolean isUnfinished() throws IOException;

    /**
     * Takes the place, if it is to be taken before the store is made.
     *
     * @throws io.tallystick.tool.command.ToolException another process has it
     */
    void take() throws IOException;

    /** Deletes what an earlier run has left, and opens a new store; the caller closes it. */
    ObjectStore create() throws IOException;

    /** The states of the new store, which is closed, read back from where it keeps them. */
    Map<StateKey, Supplier<StateImage>> created() throws IOException;

    /** The states of the store that the place has already. */
    Map<StateKey, Supplier<StateImage>> published() throws IOException;

    /** Makes the new store, which was read back, the store of the place. */
    void publish() throws IOException;

    /** Deletes what an earlier run has left beside a published store. */
    void sweep() throws IOException;

    /** After a failure: deletes what this run has made, as far as possible, unless it was published. */
    void abandon() throws IOException;

    /** Releases the place; a second call does nothing. */
    @Override
    void close() throws IOException;
}
