package io.tallystick.store.spi;

import io.tallystick.store.ObjectStore;

/**
 * A log that is filled under another name, so that no transaction manager finds a part of it, and then becomes the log
 * of a node in one step. By one thread.
 */
public interface StagedLog {
    /** Whether an earlier run has left such a log. */
    boolean isUnfinished();

    /**
     * Opens the staged log with nothing in it: what an earlier run has left is removed. The caller closes it.
     *
     * @throws io.tallystick.store.StoreLockedException another process is filling it
     * @throws io.tallystick.store.StoreException it cannot be opened
     */
    ObjectStore create();

    /**
     * Reads the staged log, which is closed.
     *
     * @throws io.tallystick.store.StoreException it cannot be read
     */
    StoreInspection inspect();

    /**
     * Whether the node has a log that its owner has closed, and that nothing was ever written to. A transaction manager
     * leaves one that was refused at its start. If this says so, {@link #publish} replaces that log.
     *
     * @throws io.tallystick.store.StoreException it cannot be read
     */
    boolean replacesEmptyLog();

    /**
     * Makes the staged log, which was inspected and is closed, the log of the node. The change is as durable as a
     * record when this returns.
     *
     * @throws io.tallystick.store.StoreLockedException the node has a log that {@link #replacesEmptyLog} has not seen,
     *     or a process has opened that one or the staged one since; nothing was changed
     * @throws io.tallystick.store.StoreIoException the server gave no answer: it may be the log of the node, or not
     */
    void publish();

    /** Deletes the staged log if no process has it; as far as possible, and without an error. */
    void discard();
}
