package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.stage.Torture;
import io.tallystick.durability.subject.Subject;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.process.StoreProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A process that owns a log is stopped under load by SIGSTOP. Another process takes the log, some of them after a
 * lease. SIGCONT wakes the first one: it must find out, and nothing of it may be lost or appear later.
 */
public final class ZombieStage extends ClusterStage {
    private static final String UNIT = "zombies";
    private static final String HEIR = "/Heir";
    private static final int LOGS = 4;
    private static final int MAX_LOAD_MILLIS = 300;
    private static final int LEASE_SHARE = 8;
    private static final int LARGE_STATES = 5;

    @Override
    public String name() {
        return "postgresql-zombie";
    }

    @Override
    public String description() {
        return "SIGSTOP of the owner of a log in PostgreSQL, a takeover by another process, SIGCONT";
    }

    @Override
    public String unit() {
        return UNIT;
    }

    @Override
    public long quickCount() {
        return 4;
    }

    @Override
    public long fullCount() {
        return 1_000;
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Zombies(subject, scratch).begin();
    }

    private static final class Zombies extends ClusterSession {
        private final Map<Integer, NodeLog> logs = new HashMap<>();

        Zombies(Subject subject, Path scratch) {
            super(subject, scratch);
        }

        @Override
        Counts runCase(long seed) throws IOException, InterruptedException {
            for (int i = 0; i < LOGS; i++) {
                if (!logs.containsKey(i)) {
                    logs.put(i, newLog());
                    logs.get(i).openElsewhere(Opening.atOnce(cluster().url()));
                }
            }
            return together(LOGS, number -> replace(logs.get(number), seed * LOGS + number));
        }

        private Counts replace(NodeLog log, long seed) throws IOException, InterruptedException {
            Random random = Seeds.random(seed);
            StoreProcess zombie = (StoreProcess) log.store();
            Torture load = log.beginLoad(seed);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_LOAD_MILLIS));
            load.disasterBegins();
            long stopped = System.nanoTime();
            signal("STOP", zombie);
            boolean isAfterLease = random.nextInt(LEASE_SHARE) == 0;
            StoreProcess heir = log.openHeirElsewhere(
                    isAfterLease
                            ? Opening.afterLease(cluster().url())
                            : Opening.atOnce(cluster().url()));
            boolean isKept = false;
            try {
                ContentSnapshot found = ContentSnapshot.of(heir);
                signal("CONT", zombie);
                Duration stood = Duration.ofNanos(System.nanoTime() - stopped);
                NodeLog.fill(heir, HEIR, LARGE_STATES);
                Counts counts = Counts.of(UNIT, 1).and("operations", load.awaitEnd());
                NodeLog.checkFenced(zombie, stood);
                NodeLog.clear(heir, HEIR);
                zombie.kill();
                log.inherit(heir, found);
                isKept = true;
                return counts.and("after a lease", isAfterLease ? 1 : 0);
            } finally {
                if (!isKept) {
                    NodeLog.abandon(heir);
                }
            }
        }

        private static void signal(String name, StoreProcess store) throws IOException {
            new ProcessBuilder(
                            "kill", "-" + name, String.valueOf(store.process().pid()))
                    .start()
                    .onExit()
                    .join();
        }

        @Override
        void forget() {
            logs.values().forEach(log -> NodeLog.abandon(log.store()));
            logs.clear();
        }
    }
}
