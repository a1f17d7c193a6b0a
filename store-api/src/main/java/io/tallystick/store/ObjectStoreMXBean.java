package io.tallystick.store;

import java.util.Map;

/**
 * The view that a management client has of an open store, under {@code
 * io.tallystick:type=ObjectStore,name="<place>"}. Figures that need the file system or the records are at most one
 * second old.
 */
public interface ObjectStoreMXBean {
    /** {@code inmemory}, {@code file}, {@code journal}, or the name of another provider's store. */
    String getStore();

    /** The journal's engine; empty for other stores. */
    String getEngine();

    /** How bytes reach the disk; empty in memory. */
    String getIo();

    /** The directory; empty in memory, and for a log that is not in a directory. */
    String getDirectory();

    /** Where the log is: its directory, or its database, schema and node; empty in memory. */
    String getPlace();

    /** The line with the store, its engine, its way to the disk and its place, and the reasons for them. */
    String getDescription();

    /** The store's unique id; empty in memory. */
    String getStoreId();

    /** The node that the store belongs to; empty where it belongs to none. */
    String getNodeId();

    /** {@code OPEN}, {@code DRAINING}, {@code FAILED} or {@code CLOSED}. */
    String getState();

    /** Whether transactions can be logged here. */
    boolean isServing();

    /** Why the store fails every mutation; empty while it is sound. */
    String getFailure();

    /** Whether no other owner can have the store. */
    boolean isLockHeld();

    /** Milliseconds since the disk last said that everything is on it; -1 before the first time. */
    long getLastForceAgeMillis();

    /** Room that is left on the disk, bytes; -1 where it is not known. */
    long getUsableBytes();

    /** How long the oldest record has been seen here, milliseconds; -1 if there is none. See {@link StoreHealth}. */
    long getOldestRecordAgeMillis();

    /** Keys that hold a value now: the pending records. */
    long getRecords();

    /** State bytes held now. */
    long getBytes();

    /** Values written. */
    long getWrites();

    /** Values removed. */
    long getRemoves();

    /** Values read and found. */
    long getReads();

    /** Bytes handed to the disk. */
    long getBytesWritten();

    /** Times the store waited for the disk. */
    long getForces();

    /** Records made durable by those forces. */
    long getRecordsForced();

    /** Records that one force carried on average. */
    double getRecordsPerForce();

    /** Mean time that one force took, nanoseconds. */
    double getForceMeanNanos();

    /** Half of the forces took at most this, nanoseconds. */
    long getForceP50Nanos();

    /** 99 % of the forces took at most this, nanoseconds. */
    long getForceP99Nanos();

    /** 99.9 % of the forces took at most this, nanoseconds. */
    long getForceP999Nanos();

    /** The longest force, nanoseconds. */
    long getForceMaxNanos();

    /** How many keys each type has. */
    Map<String, Integer> countByType();

    /**
     * Waits until the store holds only notes that a transaction manager keeps for itself, and returns how many other
     * records are left. It stops no thread from writing. A transaction manager's adaptor has a drain of its own, which
     * does.
     *
     * @param seconds how long to wait at most
     */
    long awaitEmpty(int seconds);
}
