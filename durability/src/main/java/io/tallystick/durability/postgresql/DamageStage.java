package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.stage.Torture;
import io.tallystick.durability.subject.Subject;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Rows of a closed log are damaged: a batch is deleted, a byte of one is another one, a column says something else, two
 * bodies are exchanged. The log must hold exactly what was acknowledged, or refuse to open and change nothing. The last
 * batches of a log are known by themselves only, so a deleted one of them is not looked for.
 */
public final class DamageStage extends ClusterStage {
    private static final String UNIT = "damaged logs";
    private static final int LOAD_MILLIS = 60;
    private static final int LANES = 2;
    private static final int KINDS = 4;
    private static final String BATCHES = " tallystick.tallystick_batch WHERE log_id ="
            + " (SELECT log_id FROM tallystick.tallystick_log WHERE node_id = '%s')";

    @Override
    public String name() {
        return "postgresql-damage";
    }

    @Override
    public String description() {
        return "rows of a closed log in PostgreSQL are deleted, changed and exchanged";
    }

    @Override
    public String unit() {
        return UNIT;
    }

    @Override
    public long quickCount() {
        return 20;
    }

    @Override
    public long fullCount() {
        return 10_000;
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Damages(subject, scratch).begin();
    }

    private static final class Damages extends ClusterSession {
        Damages(Subject subject, Path scratch) {
            super(subject, scratch);
        }

        @Override
        Counts runCase(long seed) throws IOException, InterruptedException {
            Random random = Seeds.random(seed);
            NodeLog log = newLog();
            Opening opening = Opening.atOnce(cluster().urlOfPrimary());
            try {
                log.open(opening);
                Torture load = log.beginLoad(seed);
                TimeUnit.MILLISECONDS.sleep(LOAD_MILLIS + random.nextInt(LOAD_MILLIS));
                load.stop();
                load.awaitEnd();
                log.close();
                return damage(log, opening, random);
            } catch (SQLException trouble) {
                throw new IOException(trouble);
            } finally {
                NodeLog.abandon(log.store());
            }
        }

        private Counts damage(NodeLog log, Opening opening, Random random) throws IOException, SQLException {
            String from = String.format(Locale.ROOT, BATCHES, log.nodeId());
            try (Connection connection = cluster().primary().connect();
                    Statement statement = connection.createStatement()) {
                long count = number(statement, "SELECT count(*) FROM" + from);
                if (count <= LANES + 1) {
                    return Counts.of(UNIT, 0).and("too short", 1);
                }
                boolean isDeletion = random.nextInt(KINDS) == 0;
                long chosen = random.nextInt((int) count - (isDeletion ? LANES : 0));
                long sequence =
                        number(statement, "SELECT seq FROM" + from + " ORDER BY seq OFFSET " + chosen + " LIMIT 1");
                statement.execute(
                        isDeletion ? "DELETE FROM" + from + " AND seq = " + sequence : change(random, from, sequence));
                String before = digest(statement, from);
                boolean isRefused = false;
                try (ObjectStore store = log.openHeir(opening)) {
                    log.inherit(store, ContentSnapshot.of(store));
                } catch (CorruptStoreException refused) {
                    isRefused = true;
                    if (!digest(statement, from).equals(before)) {
                        throw new AssertionError("I8 violated: a refused opening has changed batches");
                    }
                }
                if (!isRefused) {
                    throw new AssertionError("I8 violated: the damage was not noticed, batch=" + sequence);
                }
                return Counts.of(UNIT, 1).and(isDeletion ? "deleted" : "changed", 1);
            }
        }

        private static String change(Random random, String from, long sequence) {
            String rows = from + " AND seq = " + sequence;
            String table = " tallystick.tallystick_batch SET ";
            String where = rows.substring(rows.indexOf(" WHERE"));
            List<String> columns = List.of("durable", "oldest", "epoch");
            return switch (random.nextInt(KINDS - 1)) {
                case 0 ->
                    "UPDATE" + table + columns.get(random.nextInt(columns.size())) + " = "
                            + columns.get(random.nextInt(columns.size())) + " + 7" + where;
                case 1 ->
                    "UPDATE" + table + "body = substring(body FROM 1 FOR length(body) - " + (1 + random.nextInt(20))
                            + ")" + where;
                default -> {
                    int place = random.nextInt(1 << 30);
                    int bit = random.nextInt(8);
                    yield "UPDATE" + table + "body = set_bit(body, (" + place + " % length(body))::bigint * 8 + " + bit
                            + ", 1 - get_bit(body, (" + place + " % length(body))::bigint * 8 + " + bit + "))" + where;
                }
            };
        }

        private static long number(Statement statement, String query) throws SQLException {
            try (ResultSet answer = statement.executeQuery(query)) {
                answer.next();
                return answer.getLong(1);
            }
        }

        private static String digest(Statement statement, String from) throws SQLException {
            try (ResultSet answer = statement.executeQuery("SELECT md5(string_agg(seq || ' ' || epoch || ' ' || durable"
                    + " || ' ' || oldest || ' ' || md5(body), ',' ORDER BY seq)) FROM" + from)) {
                answer.next();
                return answer.getString(1);
            }
        }
    }
}
