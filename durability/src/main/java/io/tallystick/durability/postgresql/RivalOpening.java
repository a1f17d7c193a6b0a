package io.tallystick.durability.postgresql;

import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A second opening of a log that another owner opens too. One of the two gets the log. The other one must be told so:
 * by its opening, or by its store soon after. A network of its own lets it stand still after it has taken the log and
 * before it has read it.
 */
final class RivalOpening implements AutoCloseable {
    private static final int POLL_MILLIS = 1;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

    /** An opening that stood still for longer may have given up. A try of a request takes a third of the patience. */
    private static final Duration SURELY_ANSWERED = NodeLog.PATIENCE.dividedBy(4);

    private final NodeLog log;
    private final FaultyProxy network;
    private final CompletableFuture<ObjectStore> opening;
    private long heldSince;
    private Duration stood = Duration.ZERO;

    private RivalOpening(NodeLog log, FaultyProxy network, CompletableFuture<ObjectStore> opening) {
        this.log = log;
        this.network = network;
        this.opening = opening;
    }

    /** Begins to open the log, behind a network that this closes. */
    static RivalOpening begin(NodeLog log, FaultyProxy network, Opening how) {
        CompletableFuture<ObjectStore> opening = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        opening.complete(log.openHeir(how));
                    } catch (IOException | RuntimeException | Error failed) {
                        opening.completeExceptionally(failed);
                    }
                },
                "rival-opening");
        thread.setDaemon(true);
        thread.start();
        return new RivalOpening(log, network, opening);
    }

    /**
     * Begins to open the log, and holds that back when it has taken the log. Most often it has not read the log then.
     */
    static RivalOpening beginAndHold(PostgresServer server, NodeLog log, FaultyProxy network, Opening how)
            throws IOException, InterruptedException {
        try (Connection connection = server.connect()) {
            long before = epoch(connection, log);
            RivalOpening rival = begin(log, network, how);
            long deadline = System.nanoTime() + LONGEST_WAIT.toNanos();
            while (epoch(connection, log) == before && !rival.opening.isDone() && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
            if (epoch(connection, log) > before) {
                rival.heldSince = System.nanoTime();
                network.hold(true, true);
            }
            return rival;
        } catch (SQLException trouble) {
            throw new IOException(trouble);
        }
    }

    private static long epoch(Connection connection, NodeLog log) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT epoch FROM tallystick.tallystick_log WHERE node_id = ?")) {
            query.setString(1, log.nodeId());
            try (ResultSet answer = query.executeQuery()) {
                answer.next();
                return answer.getLong(1);
            }
        }
    }

    /** Whether it has taken the log and stands still: whoever opens the log now comes after it. */
    boolean isHeld() {
        return heldSince != 0;
    }

    /** Lets it go on. */
    void letGo() {
        if (isHeld()) {
            stood = Duration.ofNanos(System.nanoTime() - heldSince);
            network.hold(false, false);
        }
    }

    /**
     * Opens the log as the other one of the two.
     *
     * @return the store; empty if this opening was told that the log is the rival's
     * @throws AssertionError it was told something else
     */
    Optional<ObjectStore> openBeside(Opening how) throws IOException {
        try {
            return Optional.of(log.openHeir(how));
        } catch (StoreException refused) {
            checkTold(refused);
            return Optional.empty();
        }
    }

    /**
     * Waits until one of the two has the log, and checks that the other one knows it.
     *
     * @param beside what {@link #openBeside} returned
     * @return the store that has the log
     * @throws AssertionError both have it, or none, or one was told something else
     */
    ObjectStore winner(Optional<ObjectStore> beside) throws IOException, InterruptedException {
        Optional<ObjectStore> own = result();
        if (own.isEmpty() || beside.isEmpty()) {
            return own.or(() -> beside)
                    .orElseThrow(() -> new AssertionError("each of two openings was told that the other has the log"));
        }
        long deadline = System.nanoTime() + LONGEST_WAIT.toNanos();
        while (own.get().failure().isEmpty() && beside.get().failure().isEmpty() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        boolean isOwnLost = own.get().failure().isPresent();
        ObjectStore winner = isOwnLost ? beside.get() : own.get();
        ObjectStore loser = isOwnLost ? own.get() : beside.get();
        NodeLog.checkFenced(loser, stood);
        NodeLog.abandon(loser);
        if (winner.failure().isPresent()) {
            throw new AssertionError("of two owners, the one that has the log has failed too: " + winner.failure());
        }
        return winner;
    }

    private Optional<ObjectStore> result() throws IOException, InterruptedException {
        try {
            return Optional.of(opening.get());
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof StoreException refused) {
                checkTold(refused);
                return Optional.empty();
            }
            throw new IOException(failed.getCause());
        }
    }

    private void checkTold(StoreException refused) {
        boolean isTold = refused instanceof StoreFencedException || refused instanceof StoreLockedException;
        boolean hasGivenUp = stood.compareTo(SURELY_ANSWERED) > 0 && refused instanceof StoreIoException;
        if (!isTold && !hasGivenUp) {
            throw new AssertionError("an opening that lost the log to another one was told: " + refused, refused);
        }
    }

    /** Ends the store of the rival without a check, now or when it is open. */
    @Override
    public void close() throws IOException {
        network.close();
        opening.thenAccept(NodeLog::abandon);
    }
}
