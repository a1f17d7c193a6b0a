package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.postgresql.PostgresServer.End;
import io.tallystick.durability.subject.Subject;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Each of the three edges between owner, primary and standby is cut: one direction, both, or with an error. It heals,
 * or a failover follows, or the patience ends before.
 */
public final class PartitionStage extends ClusterStage {
    private static final String UNIT = "partitions";
    private static final int LOGS = 3;
    private static final int BEFORE_MILLIS = 150;
    private static final int CUT_MILLIS = 600;
    /** The least for two hosts, of which one may be dead. */
    private static final Duration SHORT_PATIENCE = Duration.ofSeconds(2);

    private static final int OVER_PATIENCE_MILLIS = 5_000;

    @Override
    public String name() {
        return "postgresql-partition";
    }

    @Override
    public String description() {
        return "each edge between the owner of a log, PostgreSQL and its standby is cut";
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
        return 1_000;
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Partitions(subject, scratch).begin();
    }

    /** The edge that is cut, and what follows. */
    private enum Kind {
        OWNER_PRIMARY("owner and primary"),
        OWNER_PRIMARY_FOR_LONG("owner and primary, longer than the patience"),
        OWNER_STANDBY_AND_FAILOVER("owner and standby, then a failover"),
        SERVERS("primary and standby"),
        SERVERS_AND_FAILOVER("primary and standby, then a failover");

        private final String counter;

        Kind(String counter) {
            this.counter = counter;
        }
    }

    private static final class Partitions extends ClusterSession {
        Partitions(Subject subject, Path scratch) {
            super(subject, scratch);
        }

        @Override
        Counts runCase(long seed) throws IOException, InterruptedException {
            Random random = Seeds.random(seed);
            Kind kind = Kind.values()[(int) (seed % Kind.values().length)];
            try (LogsUnderLoad logs = new LogsUnderLoad()) {
                try {
                    for (int i = 0; i < LOGS; i++) {
                        Opening opening = Opening.atOnce(cluster().proxiedUrl());
                        logs.begin(
                                newLog(),
                                kind == Kind.OWNER_PRIMARY_FOR_LONG ? opening.withPatience(SHORT_PATIENCE) : opening,
                                seed * LOGS + i);
                    }
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(BEFORE_MILLIS));
                    if (kind == Kind.OWNER_PRIMARY_FOR_LONG) {
                        logs.disasterBegins();
                    }
                    cut(kind, random);
                    Counts counts = Counts.of(UNIT, 1).and(kind.counter, 1);
                    return counts.plus(together(LOGS, number -> end(kind, logs, number)));
                } finally { // before the stores are closed, which would wait for the servers
                    heal(cluster().clientsOfPrimary());
                    heal(cluster().clientsOfStandby());
                    heal(cluster().betweenServers());
                }
            }
        }

        private void cut(Kind kind, Random random) throws IOException, InterruptedException {
            switch (kind) {
                case OWNER_PRIMARY -> {
                    FaultyProxy edge = cluster().clientsOfPrimary();
                    separate(edge, random);
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(CUT_MILLIS));
                    heal(edge);
                }
                case OWNER_PRIMARY_FOR_LONG -> {
                    FaultyProxy edge = cluster().clientsOfPrimary();
                    separate(edge, random);
                    TimeUnit.MILLISECONDS.sleep(OVER_PATIENCE_MILLIS + random.nextInt(CUT_MILLIS));
                    heal(edge);
                }
                case OWNER_STANDBY_AND_FAILOVER -> {
                    FaultyProxy edge = cluster().clientsOfStandby();
                    separate(edge, random);
                    cluster().failOver(End.KILL);
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(CUT_MILLIS));
                    heal(edge);
                    cluster().rejoin();
                }
                case SERVERS -> {
                    FaultyProxy edge = cluster().betweenServers();
                    separate(edge, random);
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(CUT_MILLIS));
                    heal(edge);
                    cluster().awaitSynchronous();
                }
                case SERVERS_AND_FAILOVER -> {
                    FaultyProxy edge = cluster().betweenServers();
                    separate(edge, random);
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(CUT_MILLIS));
                    cluster().failOver(End.KILL);
                    heal(edge);
                    cluster().rejoin();
                }
            }
        }

        private static void separate(FaultyProxy edge, Random random) throws IOException {
            switch (random.nextInt(4)) {
                case 0 -> edge.hold(true, false);
                case 1 -> edge.hold(false, true);
                case 2 -> edge.hold(true, true);
                default -> edge.refuse(true);
            }
        }

        private static void heal(FaultyProxy edge) throws IOException {
            edge.hold(false, false);
            edge.refuse(false);
        }

        private Counts end(Kind kind, LogsUnderLoad logs, int number) throws IOException, InterruptedException {
            Counts counts = logs.end(number);
            if (kind != Kind.OWNER_PRIMARY_FOR_LONG) {
                logs.log(number).checkWorks();
            }
            logs.log(number).passOn(Opening.atOnce(cluster().url()));
            return counts;
        }
    }
}
