package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.stage.Torture;
import io.tallystick.durability.subject.Subject;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreLockedException;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The primary, the standby or an owner's network stands still, for less than a lease, for more, or for more than the
 * patience. Meanwhile another process waits for each log. An owner that could beat keeps its log.
 */
public final class PauseStage extends ClusterStage {
    private static final String UNIT = "pauses";
    private static final int LOGS = 3;
    private static final int BEFORE_MILLIS = 100;
    private static final int SHORT_MILLIS = 600;
    private static final int LONG_MILLIS = 2_600;
    private static final long STALL_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final Duration SHORT_PATIENCE = Duration.ofSeconds(1);

    @Override
    public String name() {
        return "postgresql-pause";
    }

    @Override
    public String description() {
        return "PostgreSQL, its standby or an owner stands still, shorter and longer than a lease";
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
        return new Pauses(subject, scratch).begin();
    }

    /** What stands still, and for how long. */
    private enum Kind {
        PRIMARY_SHORT("primary, shorter than the lease"),
        OWNER_SHORT("owner, shorter than the lease"),
        STANDBY_LONG("standby, longer than the lease"),
        PRIMARY_LONG("primary, longer than the lease"),
        OWNER_LONG("owner, longer than the lease"),
        OVER_PATIENCE("primary, longer than the patience");

        private final String counter;

        Kind(String counter) {
            this.counter = counter;
        }
    }

    /** The longest time for which a thread of this process was not given a processor. */
    private static final class Stalls implements AutoCloseable {
        private final Thread thread = new Thread(this::run, "stalls");
        private volatile boolean isOver;
        private volatile long longestNanos;

        Stalls() {
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            long last = System.nanoTime();
            while (!isOver) {
                LockSupport.parkNanos(this, STALL_LOOK_NANOS);
                long now = System.nanoTime();
                longestNanos = Math.max(longestNanos, now - last);
                last = now;
            }
        }

        /** Whether beats may have come too late for a reason that is not the store's. */
        boolean areLong() {
            return longestNanos > MAX_STALL_NANOS;
        }

        @Override
        public void close() {
            isOver = true;
        }
    }

    private static final class Pauses extends ClusterSession {
        Pauses(Subject subject, Path scratch) {
            super(subject, scratch);
        }

        @Override
        Counts runCase(long seed) throws IOException, InterruptedException {
            Kind kind = Kind.values()[(int) (seed % Kind.values().length)];
            Random random = Seeds.random(seed);
            Owner[] owners = new Owner[LOGS];
            Stalls stalls = new Stalls();
            try {
                for (int i = 0; i < LOGS; i++) {
                    owners[i] = new Owner(kind, seed * LOGS + i);
                }
                for (Owner each : owners) {
                    if (kind != Kind.OWNER_LONG) {
                        each.beginTaking();
                    }
                }
                TimeUnit.MILLISECONDS.sleep(BEFORE_MILLIS + random.nextInt(BEFORE_MILLIS));
                pause(kind, random, owners);
                Counts counts = Counts.of(UNIT, 1).and(kind.counter, 1);
                return counts.plus(together(LOGS, number -> owners[number].end(stalls)));
            } finally {
                stalls.close();
                for (Owner each : owners) {
                    if (each != null) {
                        each.close();
                    }
                }
            }
        }

        private void pause(Kind kind, Random random, Owner... owners) throws IOException, InterruptedException {
            int millis = random.nextInt(SHORT_MILLIS);
            switch (kind) {
                case PRIMARY_SHORT -> {
                    cluster().primary().suspend();
                    TimeUnit.MILLISECONDS.sleep(millis);
                    cluster().primary().resume();
                }
                case PRIMARY_LONG, OVER_PATIENCE -> {
                    cluster().primary().suspend();
                    TimeUnit.MILLISECONDS.sleep(LONG_MILLIS + millis);
                    cluster().primary().resume();
                }
                case STANDBY_LONG -> {
                    cluster().standby().suspend();
                    TimeUnit.MILLISECONDS.sleep(LONG_MILLIS + millis);
                    cluster().standby().resume();
                }
                case OWNER_SHORT -> {
                    hold(true, owners);
                    TimeUnit.MILLISECONDS.sleep(millis);
                    hold(false, owners);
                }
                case OWNER_LONG -> {
                    hold(true, owners);
                    TimeUnit.MILLISECONDS.sleep(BEFORE_MILLIS); // what has passed the network arrives
                    for (Owner each : owners) {
                        each.beginTaking();
                    }
                    for (Owner each : owners) {
                        each.awaitTaker();
                    }
                    hold(false, owners);
                }
            }
        }

        private static void hold(boolean isHeld, Owner... owners) {
            for (Owner each : owners) {
                each.network.hold(isHeld, isHeld);
            }
        }

        /** An owner under load, and a process that waits for its log. */
        private final class Owner {
            private final long begun = System.nanoTime();
            private final Kind kind;
            private final NodeLog log = newLog();
            private final FaultyProxy network =
                    new FaultyProxy(cluster().primary().port());
            private final Torture load;
            private final FutureTask<Optional<ObjectStore>> taker = new FutureTask<>(this::take);
            private ContentSnapshot found;
            private ObjectStore heir;

            Owner(Kind kind, long seed) throws IOException {
                this.kind = kind;
                Opening opening = Opening.atOnce(PostgresCluster.urlOf(List.of(network.port())));
                log.open(kind == Kind.OVER_PATIENCE ? opening.withPatience(SHORT_PATIENCE) : opening);
                load = log.beginLoad(seed);
                load.disasterBegins(); // whether the store has failed is asked in the end
            }

            /** Has another process wait for the log from now on. */
            void beginTaking() {
                Thread waiting = new Thread(taker, "taker");
                waiting.setDaemon(true);
                waiting.start();
            }

            private Optional<ObjectStore> take() throws IOException {
                try {
                    heir = log.openHeir(Opening.afterLease(cluster().url()));
                    found = ContentSnapshot.of(heir);
                    return Optional.of(heir);
                } catch (StoreLockedException lives) {
                    return Optional.empty();
                }
            }

            private Optional<ObjectStore> awaitTaker() throws IOException, InterruptedException {
                try {
                    return taker.get();
                } catch (ExecutionException failed) {
                    throw new IOException(failed.getCause());
                }
            }

            Counts end(Stalls stalls) throws IOException, InterruptedException {
                Optional<ObjectStore> taken = awaitTaker();
                load.stop();
                Counts counts = Counts.of("operations", load.awaitEnd());
                switch (kind) {
                    case PRIMARY_SHORT, OWNER_SHORT, STANDBY_LONG -> {
                        if (taken.isPresent() && !stalls.areLong()) {
                            throw new AssertionError("lease violated: a log was taken whose owner lives");
                        }
                    }
                    case OWNER_LONG -> {
                        if (taken.isEmpty()) {
                            throw new AssertionError("lease violated: a log was not taken, and its owner was silent");
                        }
                    }
                    default -> {
                        // the owner may have beaten in time, or not
                    }
                }
                if (taken.isPresent()) {
                    if (kind == Kind.OWNER_LONG) {
                        Duration stood = Duration.ofNanos(System.nanoTime() - begun);
                        NodeLog.checkFenced(log.store(), stood);
                    }
                } else if (kind != Kind.OVER_PATIENCE && log.store().failure().isPresent()) {
                    throw new AssertionError(
                            "the store failed without cause: " + log.store().failure());
                } else {
                    heir = log.openHeir(Opening.atOnce(cluster().url()));
                    found = ContentSnapshot.of(heir);
                }
                NodeLog.abandon(log.store());
                log.inherit(heir, found);
                return counts.and("taken", taken.isPresent() ? 1 : 0).and("machine too slow", stalls.areLong() ? 1 : 0);
            }

            void close() throws IOException {
                network.hold(false, false);
                network.close();
                NodeLog.abandon(log.store());
                NodeLog.abandon(heir);
            }
        }
    }
}
