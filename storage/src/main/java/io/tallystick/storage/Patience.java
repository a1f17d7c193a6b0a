package io.tallystick.storage;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** The time that one call waits, in pauses of random lengths, so that two openers do not keep meeting. */
final class Patience implements AutoCloseable {
    private static final long SHORTEST_PAUSE_NANOS = 200_000;
    private static final long LONGEST_PAUSE_NANOS = 2_000_000;
    /** How much longer a pause is that waits for the end of another process' work. */
    private static final int LONG = 50;

    private final long patienceNanos;
    private final long begunNanos = System.nanoTime();
    private boolean interrupted;

    Patience(Duration patience) {
        patienceNanos = patience.toNanos();
    }

    /** Pauses for about a millisecond; false if there is no time left. */
    boolean pause() {
        return pause(1);
    }

    /** Pauses for 10 to 100 milliseconds; false if there is no time left. */
    boolean pauseLong() {
        return pause(LONG);
    }

    private boolean pause(int factor) {
        if (System.nanoTime() - begunNanos >= patienceNanos) {
            return false;
        }
        // An interrupted thread does not park.
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos(factor * ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_NANOS, LONGEST_PAUSE_NANOS));
        return true;
    }

    /** Sets the interrupt flag again. */
    @Override
    public void close() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
