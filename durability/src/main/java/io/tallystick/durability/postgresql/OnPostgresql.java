package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** A stage of stores in directories, for the store in PostgreSQL: each directory stands for a log. */
public final class OnPostgresql implements Stage {
    private final Stage original;
    private final long quickCount;
    private final long fullCount;

    /** That stage, with other counts: a log in a database is slower. */
    public OnPostgresql(Stage original, long quickCount, long fullCount) {
        this.original = original;
        this.quickCount = quickCount;
        this.fullCount = fullCount;
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
    public Session open(Subject subject, Path scratch) throws IOException {
        PostgresCluster cluster = PostgresCluster.start();
        try {
            NodeLog.write(scratch, new Properties(), Opening.atOnce(cluster.url()));
            Session session = original.open(subject, scratch);
            return new WithCluster(session, cluster);
        } catch (IOException | RuntimeException | Error failed) {
            cluster.close();
            throw failed;
        }
    }

    /** The session of a stage, and the cluster that its logs lie in. */
    private record WithCluster(Session session, PostgresCluster cluster) implements Session {
        @Override
        public Counts run(long seed) throws Exception {
            return session.run(seed);
        }

        @Override
        public void close() throws IOException {
            try (cluster) {
                session.close();
            }
        }
    }
}
