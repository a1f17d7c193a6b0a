package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.stage.Torture;
import io.tallystick.durability.subject.Subject;
import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Both networks are slow: 1, 5, 20 or 50 ms in each direction. The next owner takes the log under load. */
public final class LagStage extends ClusterStage {
    private static final String UNIT = "lags";
    private static final List<Integer> MILLIS = List.of(1, 5, 20, 50);
    private static final int LOAD_MILLIS = 700;
    private static final int LOGS = 2;

    @Override
    public String name() {
        return "postgresql-lag";
    }

    @Override
    public String description() {
        return "1 to 50 ms between the owner of a log, PostgreSQL and its standby";
    }

    @Override
    public String unit() {
        return UNIT;
    }

    @Override
    public long quickCount() {
        return 2;
    }

    @Override
    public long fullCount() {
        return 1_000;
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Lags(subject, scratch).begin();
    }

    private static final class Lags extends ClusterSession {
        Lags(Subject subject, Path scratch) {
            super(subject, scratch);
        }

        @Override
        Counts runCase(long seed) throws IOException, InterruptedException {
            int millis = MILLIS.get((int) (seed % MILLIS.size()));
            cluster().clientsOfPrimary().delay(millis);
            cluster().betweenServers().delay(millis);
            return together(LOGS, number -> life(seed * LOGS + number, millis)).and(UNIT, 1 - LOGS);
        }

        private Counts life(long seed, int millis) throws IOException, InterruptedException {
            Random random = Seeds.random(seed);
            NodeLog log = newLog();
            ObjectStore heir = null;
            try {
                log.open(Opening.atOnce(cluster().proxiedUrl()));
                Torture load = log.beginLoad(seed);
                TimeUnit.MILLISECONDS.sleep(LOAD_MILLIS + random.nextInt(LOAD_MILLIS));
                load.disasterBegins();
                heir = log.openHeir(Opening.atOnce(cluster().proxiedUrl()));
                ContentSnapshot found = ContentSnapshot.of(heir);
                Counts counts = Counts.of(UNIT, 1).and("operations at " + millis + " ms", load.awaitEnd());
                NodeLog.checkFenced(log.store(), Duration.ZERO);
                NodeLog.abandon(log.store());
                log.inherit(heir, found);
                return counts;
            } finally {
                NodeLog.abandon(log.store());
                NodeLog.abandon(heir);
            }
        }
    }
}
