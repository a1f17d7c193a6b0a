package io.tallystick.store.spi;

/**
 * The events that a store tells while it works, for a recorder. Usually there is no recorder. Then every method
 * here reads two flags and allocates nothing.
 *
 * <p>All methods may be called by any number of threads. docs/observability.md has the events with their attributes.
 */
public interface StoreEvents {
    /** Tells no listener. */
    StoreEvents NONE = SilentEvents.INSTANCE;

    /**
     * Tells Java Flight Recorder. Tells no listener if this runtime does not have the module {@code jdk.jfr} or the
     * class loader of this library does not see it. An application server's module that does not name it is such a
     * case.
     *
     * @param store the name of the store in the events: its directory
     */
    static StoreEvents flightRecorder(String store) {
        try {
            return new FlightRecorderEvents(store);
        } catch (LinkageError noRecorder) {
            return NONE;
        }
    }

    /** A wait for the disk begins. */
    Force beginForce();

    /** The store begins to find out what its directory holds. */
    Recovery beginRecovery();

    /** Live records begin to be moved out of a file's way. */
    Relocation beginRelocation();

    /**
     * Nothing needs a file any more.
     *
     * @param file the file
     * @param isUsedAgain whether it will be written again; else it is deleted
     */
    void reclaimed(String file, boolean isUsedAgain);

    /** The store has failed stop. */
    void failed(Throwable cause);

    /** A wait for the disk. */
    interface Force {
        /**
         * The disk has said that everything is on it.
         *
         * @param records made durable by this
         * @param bytes handed to the disk for them, framing and padding included; 0 where they were handed over before
         */
        void succeeded(long records, long bytes);
    }

    /** A recovery. */
    interface Recovery {
        /** It has ended; the store holds this many records, with this many state bytes. */
        void ended(long records, long bytes);
    }

    /** A relocation. */
    interface Relocation {
        /** It has ended: this many records, with this many bytes on disk, were queued to be written elsewhere. */
        void ended(String file, long records, long bytes);
    }
}
