package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * A stage of stores in directories, for the store in PostgreSQL: each directory stands for a log. Several cases may run
 * at the same time on one cluster.
 */
public final class OnPostgresql implements Stage {
    private final Stage original;
    private final long quickCount;
    private final long fullCount;
    private final int atOnce;

    /** That stage, with other counts: a log in a database is slower. */
    public OnPostgresql(Stage original, long quickCount, long fullCount) {
        this(original, quickCount, fullCount, 1);
    }

    /** @param atOnce the number of cases that run at the same time, each on logs of its own */
    public OnPostgresql(Stage original, long quickCount, long fullCount, int atOnce) {
        this.original = original;
        this.quickCount = quickCount;
        this.fullCount = fullCount;
        this.atOnce = atOnce;
    }

    @Override
    public String name() {
        return "postgresql-" + original.name();
    }

    @Override
    public String description() {
        return "as " + original.name() + ", with a log in PostgreSQL";
    }

    @Override
    public String unit() {
        return original.unit();
    }

    @Override
    public long quickCount() {
        return quickCount;
    }

    @Override
    public long fullCount() {
        return fullCount;
    }

    @Override
    public Optional<String> unavailableBecause() {
        return PostgresServer.unavailableBecause();
    }

    @Override
    public List<Subject> subjects() {
        return List.of(SubjectCatalog.postgresql());
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return ClusterStage.refusalOf(subject);
    }

    @Override
    public int patienceSeconds() {
        return original.patienceSeconds();
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        PostgresCluster cluster = PostgresCluster.start();
        try {
            NodeLog.write(scratch, new Properties(), Opening.atOnce(cluster.url()));
            List<Session> sessions = new ArrayList<>();
            for (int i = 0; i < atOnce; i++) {
                Path own = atOnce == 1 ? scratch : Files.createDirectory(scratch.resolve("session-" + i));
                sessions.add(original.open(subject, own));
            }
            return new WithCluster(sessions, cluster);
        } catch (IOException | RuntimeException | Error failed) {
            cluster.close();
            throw failed;
        }
    }

    /** Sessions of a stage, and the cluster that their logs lie in. */
    private record WithCluster(List<Session> sessions, PostgresCluster cluster) implements Session {
        @Override
        public Counts run(long seed) throws Exception {
            int count = sessions.size();
            return count == 1
                    ? sessions.get(0).run(seed)
                    : ClusterStage.together(
                            count, number -> sessions.get(number).run(seed * count + number));
        }

        @Override
        public void close() throws IOException {
            try (cluster) {
                for (Session each : sessions) {
                    each.close();
                }
            }
        }
    }
}
