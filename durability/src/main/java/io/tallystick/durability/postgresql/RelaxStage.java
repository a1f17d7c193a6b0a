package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.postgresql.PostgresServer.End;
import io.tallystick.durability.subject.Subject;
import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The standby gets nothing any more, and the primary is talked out of waiting for it: commits that wait are
 * cancelled, their sessions are ended, the list of standbys is emptied and set again. Then the primary dies and the
 * standby is promoted: whatever was acknowledged must be there. Or replication was not required: then the loss must
 * be told.
 */
public final class RelaxStage extends ClusterStage {
    private static final String UNIT = "relaxations";
    private static final int LOGS = 3;
    private static final int BEFORE_MILLIS = 200;
    private static final int RELAXED_MILLIS = 1_200;
    private static final int MAX_PAUSE_MILLIS = 60;
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final String WAITING = " FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

    @Override
    public String name() {
        return "postgresql-relax";
    }

    @Override
    public String description() {
        return "PostgreSQL is talked out of waiting for its standby, then the primary dies";
    }

    @Override
    public String unit() {
        return UNIT;
    }

    @Override
    public long quickCount() {
        return 3;
    }

    @Override
    public long fullCount() {
        return 500;
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Relaxations(subject, scratch).begin();
    }

    /** How commits stop waiting. */
    private enum Kind {
        CANCELLED("waits cancelled"),
        TERMINATED("sessions ended"),
        NAMES_EMPTIED("names emptied and set again"),
        NOT_REQUIRED("replication not required");

        private final String counter;

        Kind(String counter) {
            this.counter = counter;
        }
    }

    private static final class Relaxations extends ClusterSession {
        Relaxations(Subject subject, Path scratch) {
            super(subject, scratch);
        }

        @Override
        Counts runCase(long seed) throws IOException, InterruptedException {
            Kind kind = Kind.values()[(int) (seed % Kind.values().length)];
            try {
                Counts counts = kind == Kind.NOT_REQUIRED ? lose(Seeds.random(seed)) : relax(kind, seed);
                return Counts.of(UNIT, 1).and(kind.counter, 1).plus(counts);
            } catch (SQLException trouble) {
                throw new IOException(trouble);
            }
        }

        private Counts relax(Kind kind, long seed) throws IOException, InterruptedException, SQLException {
            Random random = Seeds.random(seed);
            try (LogsUnderLoad logs = new LogsUnderLoad()) {
                for (int i = 0; i < LOGS; i++) {
                    logs.begin(newLog(), Opening.atOnce(cluster().url()).withPatience(PATIENCE), seed * LOGS + i);
                }
                TimeUnit.MILLISECONDS.sleep(random.nextInt(BEFORE_MILLIS));
                logs.disasterBegins();
                FaultyProxy edge = cluster().betweenServers();
                edge.hold(true, true);
                long ends = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RELAXED_MILLIS);
                try (Connection connection = cluster().primary().connect();
                        Statement statement = connection.createStatement()) {
                    while (System.nanoTime() < ends) {
                        relax(kind, statement);
                        TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_PAUSE_MILLIS));
                    }
                }
                cluster().primary().end(End.KILL);
                drop(edge);
                cluster().promote();
                cluster().rejoin();
                return together(LOGS, number -> end(logs, number));
            }
        }

        /** What is on its way from the primary never arrives. */
        private static void drop(FaultyProxy edge) throws IOException {
            edge.cutAll();
            edge.hold(false, false);
        }

        private static void relax(Kind kind, Statement statement) throws SQLException, InterruptedException {
            switch (kind) {
                case CANCELLED -> statement.execute("SELECT pg_cancel_backend(pid)" + WAITING);
                case TERMINATED -> statement.execute("SELECT pg_terminate_backend(pid)" + WAITING);
                default -> {
                    for (String names : new String[] {"", "FIRST 1 (peer)"}) {
                        statement.execute("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
                        statement.execute("SELECT pg_reload_conf()");
                        TimeUnit.MILLISECONDS.sleep(MAX_PAUSE_MILLIS / 3);
                    }
                }
            }
        }

        private Counts end(LogsUnderLoad logs, int number) throws IOException, InterruptedException {
            Counts counts = logs.end(number);
            logs.log(number).passOn(Opening.atOnce(cluster().url()));
            return counts;
        }

        /** The states of one key are numbers that grow, so that a loss can be seen. */
        private Counts lose(Random random) throws IOException, InterruptedException, SQLException {
            StateKey key = StateKey.of(
                    "/Number", ObjectId.of(ByteBuffer.allocate(8).putLong(1).array()));
            PostgresCluster.waitForOther(cluster().primary(), false);
            PostgresCluster.waitForOther(cluster().standby(), false);
            NodeLog log = newLog();
            ObjectStore heir = null;
            try {
                log.open(Opening.atOnce(cluster().url()).withoutReplication());
                ObjectStore store = log.store();
                long acknowledged = write(store, key, 0, 1 + random.nextInt(20));
                awaitReplay();
                long surely = acknowledged;
                FaultyProxy edge = cluster().betweenServers();
                edge.hold(true, true);
                acknowledged = write(store, key, acknowledged, 1 + random.nextInt(20));
                cluster().primary().end(End.KILL);
                drop(edge);
                cluster().promote();
                boolean isTold = isTold(store, key, acknowledged);
                if (isTold) {
                    acceptLoss(log, store);
                }
                NodeLog.abandon(store);
                heir = log.openHeir(Opening.atOnce(cluster().url()).withoutReplication());
                long found = heir.read(key)
                        .map(bytes -> ByteBuffer.wrap(bytes).getLong())
                        .orElse(0L);
                if (found < surely || found > acknowledged + 1) {
                    throw new AssertionError("I3 no invention violated: found=" + found + " replicated=" + surely
                            + " acknowledged=" + acknowledged);
                }
                if (found < acknowledged && !isTold) {
                    throw new AssertionError("loss not told: found=" + found + " acknowledged=" + acknowledged);
                }
                PostgresCluster.waitForOther(cluster().primary(), true);
                cluster().rejoin();
                return Counts.of("losses told", isTold ? 1 : 0);
            } finally {
                NodeLog.abandon(log.store());
                NodeLog.abandon(heir);
            }
        }

        /** A loss that is told is marked too: the next owner is refused until the loss is accepted. */
        private void acceptLoss(NodeLog log, ObjectStore loser) throws InterruptedException, IOException, SQLException {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (loser.lossMarking() == LossMarking.PENDING && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(MAX_PAUSE_MILLIS);
            }
            if (loser.lossMarking() != LossMarking.MARKED) {
                throw new AssertionError("a loss was told, and its mark is " + loser.lossMarking());
            }
            ObjectStore heir;
            try {
                heir = log.openHeir(Opening.atOnce(cluster().url()).withoutReplication());
            } catch (StoreIoException refused) {
                if (!refused.getMessage().contains("accept-loss")) {
                    throw refused;
                }
                cluster()
                        .primary()
                        .sql("UPDATE tallystick.tallystick_loss SET accepted = now(), reason = 'a stage'"
                                + " WHERE accepted IS NULL");
                return;
            }
            NodeLog.abandon(heir);
            throw new AssertionError("a log with a marked loss was opened");
        }

        private static long write(ObjectStore store, StateKey key, long last, int count) {
            for (int i = 1; i <= count; i++) {
                store.write(key, ByteBuffer.allocate(8).putLong(last + i).array(), Durability.FORCED);
            }
            return last + count;
        }

        private void awaitReplay() throws IOException {
            cluster()
                    .await(
                            "SELECT count(*) FROM pg_stat_replication WHERE flush_lsn >= pg_current_wal_flush_lsn()",
                            "1");
        }

        /** Whether the next write says that acknowledged batches are gone. */
        private static boolean isTold(ObjectStore store, StateKey key, long last) {
            try {
                write(store, key, last, 1);
                return false;
            } catch (StoreException told) {
                if (!String.valueOf(told.getMessage()).contains("lost batches")) {
                    throw new AssertionError("the loss is told as something else: " + told.getMessage(), told);
                }
                return true;
            }
        }
    }
}
