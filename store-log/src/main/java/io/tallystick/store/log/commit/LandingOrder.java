package io.tallystick.store.log.commit;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Batches in the order of the log, while they are on their way. They may land in another order: a batch counts as
 * durable when it and every batch before it have landed. Example: batches 1, 2 and 3 fly, 1 and 3 have landed; the
 * durable sequence is 1. When 2 lands it becomes 3. All methods are called under the layout lock of the group commit.
 *
 * <p>A batch that has landed is acknowledged when every batch with a deferred change before it has landed too. Until
 * then its flight is held: the calls of those changes may have returned before its own calls began. Example: batch 1
 * has a deferred change; if 1 fails, the callers of 2 hear that their outcome is unknown, although 2 has landed.
 */
final class LandingOrder {
    private final ArrayDeque<Flight> flights = new ArrayDeque<>();
    private long durableAppends;
    private long durableSequence;

    // Flights whose batches defer, in the order of the log; the first one is still on its way.
    private @Nullable Flight firstDeferring;
    private @Nullable Flight lastDeferring;
    private @Nullable Flight firstHeld;

    /** A flight whose batch is laid out next. */
    void add(Flight flight) {
        flights.add(flight);
    }

    /** The batch of a flight that was added has its place. Takes no memory. */
    void laidOut(Flight flight) {
        if (!flight.defers) {
            return;
        }
        Flight last = lastDeferring; // of an earlier time where none defers now
        if (firstDeferring == null || last == null) {
            firstDeferring = flight;
        } else {
            last.nextDeferring = flight;
        }
        lastDeferring = flight;
    }

    /**
     * The batch of a flight is on disk. Holds the flight, or lets it be acknowledged together with the flights that
     * were held until now; they become those that it has {@linkplain Flight#firstReleased released}. Takes no memory.
     */
    void land(Flight flight) {
        flight.landed = true;
        Flight awaited = firstDeferring;
        while (awaited != null && awaited.landed) {
            awaited = awaited.nextDeferring;
        }
        boolean mayRelease = awaited != firstDeferring;
        firstDeferring = awaited;
        // No method is called from here on, so nothing is thrown between two steps.
        if (awaited != null && awaited.takenAtEnd < flight.takenAtEnd) {
            flight.held = true;
            flight.nextHeld = firstHeld;
            firstHeld = flight;
            return;
        }
        flight.covered = true;
        if (!mayRelease) {
            return;
        }
        Flight stillHeld = null;
        Flight held = firstHeld;
        while (held != null) {
            Flight next = held.nextHeld;
            if (awaited == null || held.takenAtEnd < awaited.takenAtEnd) {
                held.covered = true;
                held.nextHeld = flight.firstReleased;
                flight.firstReleased = held;
            } else {
                held.nextHeld = stillHeld;
                stillHeld = held;
            }
            held = next;
        }
        firstHeld = stillHeld;
    }

    /** One of the flights that are held; null if there is none. */
    @Nullable Flight firstHeld() {
        return firstHeld;
    }

    /** Holds the first one no more: the store has failed, and its callers have been told. */
    void dropFirstHeld() {
        if (firstHeld != null) {
            firstHeld = firstHeld.nextHeld;
        }
    }

    /** Whether no batch is on its way. */
    boolean isEmpty() {
        return flights.isEmpty();
    }

    /** Advances over the batches that have landed without a gap. Takes no memory. */
    void advance() {
        for (Flight first = flights.peek(); first != null && first.landed; first = flights.peek()) {
            flights.poll();
            durableAppends = first.takenAtEnd;
            durableSequence = first.landedBatch().sequence();
        }
    }

    /** How many appends were taken up to the last durable batch. */
    long durableAppends() {
        return durableAppends;
    }

    /** The sequence of the last durable batch; before the first one of an opening, the sequence before it. */
    long durableSequence() {
        Flight first = flights.peek();
        if (durableSequence == 0 && first != null && first.batch != null) {
            return first.batch.sequence() - 1; // it is on its way
        }
        return durableSequence;
    }
}
