package io.tallystick.store.log.commit;

import java.util.ArrayDeque;

/**
 * Batches in the order of the log, while they are on their way. They may land in another order: a batch counts as
 * durable when it and every batch before it have landed. Example: batches 1, 2 and 3 fly, 1 and 3 have landed; the
 * durable sequence is 1. When 2 lands it becomes 3. All methods are called under the layout lock of the group commit.
 */
final class LandingOrder {
    private final ArrayDeque<Flight> flights = new ArrayDeque<>();
    private long durableAppends;
    private long durableSequence;

    /** A flight whose batch is laid out next. */
    void add(Flight flight) {
        flights.add(flight);
    }

    /** Whether no batch is on its way. */
    boolean isEmpty() {
        return flights.isEmpty();
    }

    /** Advances over the batches that have landed without a gap. Takes no memory. */
    void advance() {
        while (!flights.isEmpty() && flights.peek().landed) {
            Flight first = flights.poll();
            durableAppends = first.takenAtEnd;
            durableSequence = first.batch.sequence();
        }
    }

    /** How many appends were taken up to the last durable batch. */
    long durableAppends() {
        return durableAppends;
    }

    /** The sequence of the last durable batch; before the first one of an opening, the sequence before it. */
    long durableSequence() {
        Flight first = flights.peek();
        boolean isFirstOnItsWay = durableSequence == 0 && first != null && first.batch != null;
        return isFirstOnItsWay ? first.batch.sequence() - 1 : durableSequence;
    }
}
