package io.tallystick.store.log.commit;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Flights that their threads could not end, for lack of memory or stack. Any thread ends them, and goes on where the
 * one before stopped. Leaving one behind takes no memory.
 */
final class LeftFlights {
    private static final long RETRY_NANOS = 100_000;

    private final Consumer<Flight> conclude;
    private final AtomicReference<Flight> newest = new AtomicReference<>();

    /** @param conclude ends a flight; if it throws, it may be called again for that flight */
    LeftFlights(Consumer<Flight> conclude) {
        this.conclude = conclude;
    }

    /** Leaves a flight behind; a writer must be woken afterwards. */
    void add(Flight flight) {
        do {
            flight.below = newest.get();
        } while (!newest.compareAndSet(flight.below, flight));
    }

    boolean hasAny() {
        return newest.get() != null;
    }

    /** Ends them; what this thread cannot end either is left behind again. */
    void endAll() {
        Flight flight = newest.getAndSet(null);
        while (flight != null) {
            Flight below = flight.below;
            try {
                conclude.accept(flight);
            } catch (Throwable again) { // the flight knows of the first trouble, and a writer looks here again
                add(flight);
                LockSupport.parkNanos(this, RETRY_NANOS);
            }
            flight = below;
        }
    }
}
