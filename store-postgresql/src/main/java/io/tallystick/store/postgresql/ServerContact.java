package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.FailureLog;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Tells when the first connection of a log loses its server, and when the last one has found one again: a line each.
 * Any thread; a thread that writes or beats waits half a second for a line at most.
 */
final class ServerContact {
    private static final System.Logger LOG = System.getLogger(ServerContact.class.getName());

    private static final long MICROS_IN_MILLI = 1000;

    /** The connection that beats; lanes have their numbers. */
    static final int BEAT = 31;

    private final PostgresOptions options;
    private final NanoClock clock;
    // The connections that have no server, a bit each.
    private final AtomicInteger losers = new AtomicInteger();
    private final LongAdder reconnects = new LongAdder();
    private volatile long lostAt;

    ServerContact(PostgresOptions options, NanoClock clock) {
        this.options = options;
        this.clock = clock;
    }

    private static int bit(int connection) {
        return 1 << connection;
    }

    /** A connection was made in the place of one that ended. */
    void connected() {
        reconnects.increment();
    }

    /** How many connections were made after the opening. */
    long reconnects() {
        return reconnects.sum();
    }

    /** A server gives no answer, or no connection, to the beat or to a lane. */
    void lost(int connection, SQLException why) {
        if (losers.getAndUpdate(bits -> bits | bit(connection)) == 0) {
            lostAt = clock.nanoTime();
            FailureLog.tell(
                    LOG,
                    System.Logger.Level.WARNING,
                    "TALLY0335 the server of " + options.place() + " gives no answer, or refuses: "
                            + Reasons.text(why) + ". It is looked for; a write waits up to "
                            + StoreOption.PATIENCE.key() + "="
                            + options.patience().toSeconds() + "s",
                    null);
        }
    }

    /**
     * A server answers.
     *
     * @param connection {@link #BEAT}, or the number of a lane
     * @param server as {@link Connections#serverOf} names it
     */
    void found(int connection, long server) {
        int bit = bit(connection);
        if ((losers.get() & bit) != 0 && losers.updateAndGet(bits -> bits & ~bit) == 0) {
            FailureLog.tell(
                    LOG,
                    System.Logger.Level.INFO,
                    "TALLY0336 the server of " + options.place() + " is found again after "
                            + Duration.ofNanos(clock.nanoTime() - lostAt).toMillis() + " ms; the one that answers runs"
                            + " since " + Instant.ofEpochMilli(server / MICROS_IN_MILLI),
                    null);
        }
    }
}
