package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.postgresql.PostgresServer.End;
import io.tallystick.durability.stage.Torture;
import io.tallystick.durability.subject.Subject;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The primary dies under load, the standby is promoted, and the dead server comes back: rewound or copied, as the
 * standby of the new primary. In every third case it first comes back as a primary, beside the new one. The owner of
 * each log but one knows both servers, and must not notice. One owner knows the old primary only: nothing that it is
 * told may be lost.
 */
public final class FailoverStage extends ClusterStage {
    private static final String UNIT = "failovers";
    private static final int LOGS = 4;
    private static final int STALE = LOGS - 1;
    private static final int MAX_LOAD_MILLIS = 400;
    private static final int SPLIT_MILLIS = 700;
    private static final Duration STALE_PATIENCE = Duration.ofSeconds(1);

    @Override
    public String name() {
        return "postgresql-failover";
    }

    @Override
    public String description() {
        return "the primary of PostgreSQL dies, its standby is promoted, the dead one comes back";
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
        return 500;
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Failovers(subject, scratch).begin();
    }

    private static final class Failovers extends ClusterSession {
        private final Map<Integer, NodeLog> logs = new HashMap<>();

        Failovers(Subject subject, Path scratch) {
            super(subject, scratch);
        }

        @Override
        Counts runCase(long seed) throws IOException, InterruptedException {
            Random random = Seeds.random(seed);
            Map<Integer, Torture> loads = new HashMap<>();
            for (int i = 0; i < LOGS; i++) {
                if (!logs.containsKey(i)) {
                    logs.put(i, newLog());
                }
                boolean isStale = i == STALE;
                logs.get(i)
                        .open(
                                isStale
                                        ? Opening.atOnce(cluster().urlOfPrimary())
                                                .withPatience(STALE_PATIENCE)
                                        : Opening.atOnce(cluster().url()));
                loads.put(i, logs.get(i).beginLoad(seed * LOGS + i));
            }
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_LOAD_MILLIS));
            loads.get(STALE).disasterBegins();
            boolean isSplit = random.nextInt(3) == 0;
            End how = End.values()[random.nextInt(End.values().length)];
            cluster().failOver(how);
            if (isSplit) {
                cluster().startOldPrimary();
                TimeUnit.MILLISECONDS.sleep(SPLIT_MILLIS + random.nextInt(SPLIT_MILLIS));
                cluster().standby().end(End.IMMEDIATE);
            }
            cluster().rejoin();
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_LOAD_MILLIS));
            Counts counts = Counts.of(UNIT, 1);
            for (int i = 0; i < LOGS; i++) {
                loads.get(i).stop();
                counts = counts.and("operations", loads.get(i).awaitEnd());
            }
            counts = counts.and("split brains", isSplit ? 1 : 0);
            return counts.plus(together(LOGS, this::check));
        }

        private Counts check(int number) throws IOException {
            NodeLog log = logs.get(number);
            if (number != STALE) {
                log.checkWorks();
            }
            log.passOn(Opening.atOnce(cluster().url()));
            NodeLog.abandon(log.store());
            return Counts.NOTHING;
        }

        @Override
        void forget() {
            List.copyOf(logs.values()).forEach(log -> NodeLog.abandon(log.store()));
            logs.clear();
        }
    }
}
