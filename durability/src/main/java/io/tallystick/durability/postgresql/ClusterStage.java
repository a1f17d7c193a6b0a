package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** A stage for the store in PostgreSQL, on a cluster that the cases share. */
abstract class ClusterStage implements Stage {
    private static final int PATIENCE_SECONDS = 240;

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
        return refusalOf(subject);
    }

    /** Why this store cannot be tested on a server; empty if it can. */
    static Optional<String> refusalOf(Subject subject) {
        return subject.name().equals(SubjectCatalog.postgresql().name())
                ? Optional.empty()
                : Optional.of("it lies in no database");
    }

    @Override
    public int patienceSeconds() {
        return PATIENCE_SECONDS;
    }

    /** A part of a case, for one log. */
    interface Part {
        Counts run(int number) throws Exception;
    }

    /** Runs so many parts at the same time, and adds their counts. */
    static Counts together(int count, Part part) throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(count, work -> {
            Thread thread = new Thread(work, "part");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<Counts>> running = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                running.add(threads.submit(() -> part.run(number)));
            }
            Counts sum = Counts.NOTHING;
            Throwable first = null;
            for (Future<Counts> each : running) {
                try {
                    sum = sum.plus(each.get());
                } catch (ExecutionException failed) {
                    if (first == null) {
                        first = failed.getCause();
                    } else {
                        first.addSuppressed(failed.getCause());
                    }
                }
            }
            if (first instanceof RuntimeException unchecked) {
                throw unchecked;
            } else if (first instanceof AssertionError violation) {
                throw violation;
            } else if (first != null) {
                throw new IOException(first);
            }
            return sum;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Cases on one cluster. After a violation the next case gets another cluster, with empty logs. */
    abstract static class ClusterSession implements Session {
        private final Subject subject;
        private final Path scratch;
        private PostgresCluster cluster;
        private int clusters;
        private final AtomicInteger nodes = new AtomicInteger(); // parts of a case make logs at the same time

        ClusterSession(Subject subject, Path scratch) {
            this.subject = subject;
            this.scratch = scratch;
        }

        /**
         * Starts the cluster.
         *
         * @throws IllegalStateException the store does not work at all
         */
        final ClusterSession begin() throws IOException {
            startCluster();
            try {
                checkWorks();
            } catch (IOException | RuntimeException | Error broken) {
                close();
                throw broken;
            }
            return this;
        }

        private void checkWorks() throws IOException {
            StateKey key = StateKey.of("/Works", ObjectId.of(new byte[8]));
            NodeLog log = newLog();
            try (ObjectStore store = log.openHeir(Opening.atOnce(cluster.url()))) {
                store.write(key, new byte[100], Durability.FORCED);
                if (store.read(key).isEmpty()) {
                    throw new IllegalStateException("the store does not work at all");
                }
            }
        }

        private void startCluster() throws IOException {
            cluster = PostgresCluster.start();
            clusters++;
        }

        @Override
        public final Counts run(long seed) throws IOException, InterruptedException, ExecutionException {
            if (cluster == null) {
                startCluster();
            }
            boolean isKept = false;
            try {
                Counts counts = runCase(seed);
                isKept = true;
                return counts;
            } finally {
                if (!isKept) {
                    close();
                }
            }
        }

        abstract Counts runCase(long seed) throws IOException, InterruptedException, ExecutionException;

        /** The logs of this cluster are no more. */
        void forget() throws IOException {}

        final PostgresCluster cluster() {
            return cluster;
        }

        final int clusters() {
            return clusters;
        }

        final Subject subject() {
            return subject;
        }

        /** A log of a node that is not used yet. */
        final NodeLog newLog() throws IOException {
            String node = "c" + clusters + "n" + nodes.incrementAndGet();
            return new NodeLog(subject, node, Files.createDirectories(scratch.resolve("logs")));
        }

        @Override
        public final void close() throws IOException {
            forget();
            if (cluster != null) {
                cluster.close();
                cluster = null;
            }
        }
    }
}
