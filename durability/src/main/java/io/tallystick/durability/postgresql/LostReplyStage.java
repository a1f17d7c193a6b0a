package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.postgresql.FaultyProxy.Cut;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.stage.Torture;
import io.tallystick.durability.subject.Subject;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A connection is cut at one request after the other, in five ways, while the store is opened, used and closed. Within
 * the patience no caller may notice. Several logs at the same time.
 */
public final class LostReplyStage extends ClusterStage {
    private static final String UNIT = "lost replies";
    private static final int LOGS = 6;
    private static final int CUTS = 25;
    private static final int MAX_REQUESTS = 50;
    private static final int FEW_REQUESTS = 8;
    private static final int MAX_OPENING_REQUESTS = 30;
    private static final int MAX_CLOSING_REQUESTS = 4;
    private static final int CUT_SECONDS = 20;

    @Override
    public String name() {
        return "postgresql-lost-reply";
    }

    @Override
    public String description() {
        return "cuts a connection to PostgreSQL at a request, before, in or after it";
    }

    @Override
    public String unit() {
        return UNIT;
    }

    @Override
    public long quickCount() {
        return 100;
    }

    @Override
    public long fullCount() {
        return 20_000;
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Cutting(subject, scratch).begin();
    }

    private static final class Cutting extends ClusterSession {
        private final Map<Integer, NodeLog> logs = new HashMap<>();

        Cutting(Subject subject, Path scratch) {
            super(subject, scratch);
        }

        @Override
        Counts runCase(long seed) throws IOException, InterruptedException {
            for (int i = 0; i < LOGS; i++) {
                if (!logs.containsKey(i)) {
                    logs.put(i, newLog());
                }
            }
            return together(LOGS, number -> life(logs.get(number), seed * LOGS + number));
        }

        private Counts life(NodeLog log, long seed) throws IOException, InterruptedException {
            Random random = Seeds.random(seed);
            Counts counts = Counts.NOTHING;
            try (FaultyProxy proxy = new FaultyProxy(cluster().primary().port())) {
                Opening how = Opening.atOnce(PostgresCluster.urlOf(List.of(proxy.port())));
                if (random.nextBoolean()) {
                    counts = counts.plus(openWithCut(log, how, proxy, random));
                } else {
                    log.open(how);
                }
                Torture load = log.beginLoad(seed);
                for (int i = 0; i < CUTS; i++) {
                    CountDownLatch done = proxy.cutAfter(
                            random.nextInt(random.nextBoolean() ? MAX_REQUESTS : FEW_REQUESTS), cut(random));
                    counts = counts.and(UNIT, done.await(CUT_SECONDS, TimeUnit.SECONDS) ? 1 : 0);
                }
                proxy.spare();
                load.stop();
                counts = counts.and("operations", load.awaitEnd());
                log.checkWorks();
                return counts.plus(close(log, proxy, random));
            } finally {
                NodeLog.abandon(log.store());
            }
        }

        private static Counts openWithCut(NodeLog log, Opening how, FaultyProxy proxy, Random random)
                throws IOException {
            proxy.cutAfter(random.nextInt(MAX_OPENING_REQUESTS), cut(random));
            int cuts;
            try {
                log.open(how);
                cuts = proxy.spare() ? 1 : 0;
            } catch (StoreException refused) { // then nothing was changed
                cuts = proxy.spare() ? 1 : 0;
                log.open(how);
            }
            return Counts.of(UNIT, cuts).and("openings cut", cuts);
        }

        private static Counts close(NodeLog log, FaultyProxy proxy, Random random) {
            proxy.cutAfter(random.nextInt(MAX_CLOSING_REQUESTS), cut(random));
            try {
                log.close();
            } catch (StoreException untold) {
                // the next owner takes the log at once
            }
            int cuts = proxy.spare() ? 1 : 0;
            return Counts.of(UNIT, cuts).and("closes cut", cuts);
        }

        private static Cut cut(Random random) {
            return Cut.ALL.get(random.nextInt(Cut.ALL.size()));
        }

        @Override
        void forget() {
            logs.clear();
        }
    }
}
