package io.tallystick.store.postgresql;

import io.tallystick.store.StoreOption;
import java.time.Duration;

/**
 * How long a connection waits for its server. Those of the lanes are parts of the patience: a write that gets no answer
 * can still ask for its outcome. Those of the beat are parts of the lease. An owner whose primary's machine is gone has
 * to be heard of by the next primary before another process may take it for dead:
 *
 * <pre>
 *   the machine is gone just after a beat    0
 *   the next beat is sent                    lease / 4
 *   it is given up                           lease / 2
 *   hosts that are dead are tried            at most a second each, or lease / 4 together
 *   the new primary lists the owner          before the lease is over
 * </pre>
 *
 * <p>docs/store-postgresql.md has all times in one table.
 *
 * @param read for an answer
 * @param connect for all hosts of the URL together; each has a second at least
 */
record TimeOuts(Duration read, Duration connect) {
    private static final int TRIES_IN_PATIENCE = 3;
    private static final int PARTS_OF_LEASE = 4;

    /** The driver counts the time to connect in seconds. */
    private static final Duration LEAST_TO_CONNECT = Duration.ofSeconds(1);

    /** A server that is merely busy answers in this time. Half of what the least lease leaves. */
    private static final Duration LEAST_TO_READ = Duration.ofMillis(250);

    /** A read that gets no answer for a third of the patience fails. To connect takes no longer either. */
    static TimeOuts ofLanes(PostgresOptions options) {
        Duration part = longer(options.patience().dividedBy(TRIES_IN_PATIENCE), LEAST_TO_CONNECT);
        return new TimeOuts(part, part);
    }

    /** A quarter of the lease, and no longer than a lane waits. */
    static TimeOuts ofBeat(PostgresOptions options) {
        Duration lane = ofLanes(options).read();
        Duration part = options.lease().dividedBy(PARTS_OF_LEASE);
        part = longer(part.compareTo(lane) < 0 ? part : lane, LEAST_TO_READ);
        return new TimeOuts(part, longer(part, LEAST_TO_CONNECT));
    }

    /** How long one of so many hosts is waited for. */
    Duration connectTo(int hosts) {
        return longer(Duration.ofSeconds(connect.toSeconds() / hosts), LEAST_TO_CONNECT);
    }

    /**
     * Checks that lease and patience leave time for the hosts of the URL. All but one of them may be dead.
     *
     * @throws IllegalArgumentException they do not, naming both settings
     */
    static void check(PostgresOptions options, int hosts) {
        Duration dead = LEAST_TO_CONNECT.multipliedBy(hosts - 1);
        check(StoreOption.LEASE, options.lease(), dead.multipliedBy(2), hosts, "an owner would be taken for dead");
        check(
                StoreOption.PATIENCE,
                options.patience(),
                dead.plus(LEAST_TO_CONNECT),
                hosts,
                "a write would be given up");
    }

    private static void check(
            StoreOption<Duration> option, Duration value, Duration least, int hosts, String consequence) {
        if (hosts > 1 && value.compareTo(least) < 0) {
            throw new IllegalArgumentException(option.key() + "=" + value.toMillis() + "ms is too short for the "
                    + hosts + " hosts of " + StoreOption.POSTGRESQL_URL.key()
                    + ": one that is dead takes a second, and "
                    + consequence + " before the last host is reached. Set " + option.key() + " to " + least.toSeconds()
                    + "s or longer, or name fewer hosts");
        }
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
