package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.ring.Teller;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.subject.SubjectProcess;
import io.tallystick.durability.system.Directories;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * The database of a home's log is out for longer than its patience, again and again, while the home commits over two
 * other databases. In every third case that database has a synchronous standby, which takes its place or is missing
 * itself. The home serves again by itself, or it is killed in the outage or just after it. Where it ends after
 * an unknown outcome, it is killed at any moment. Where it rolls back instead, its transactions end first: what the
 * store has set aside is seen by the next process only. In the end each transaction is committed in both databases or
 * in none.
 */
public final class OutageStage implements Stage {
    private static final String UNIT = "outages";
    private static final int STAGE_PATIENCE_SECONDS = 300;
    private static final int PATIENCE_SECONDS = 60;
    private static final int MOST_OUTAGES = 4;
    private static final int MOST_BEFORE_MILLIS = 400;
    private static final int MOST_MORE_MILLIS = 2_000;
    private static final int KILLED_SHARE = 3;
    private static final int REPLICATED_SHARE = 3;
    private static final int POLL_MILLIS = 50;
    private static final int ORPHAN_SCANS = 2;
    private static final int MOST_SCANS = 8;
    private static final int MOST_STARTS = 5;
    private static final String REFUSED = StoreLockedException.class.getSimpleName(); // an owner lives
    private static final Optional<String> NONE_LEFT = Optional.of("0");

    @Override
    public String name() {
        return "postgresql-outage";
    }

    @Override
    public String description() {
        return "the database of the log is out for longer than the patience, and a home serves again by itself";
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
        return 300;
    }

    @Override
    public int patienceSeconds() {
        return STAGE_PATIENCE_SECONDS;
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
        return new Outages(subject, scratch);
    }

    /** Cases over the same databases; after a violation the next case gets others. */
    private static final class Outages implements Session {
        private final Path scratch;
        private final Optional<Path> plantedClasses;
        // Null before the first case and after a violation.
        private TwoDatabases databases;
        // Null before the first case that has one, and after a violation.
        private PostgresCluster cluster;

        Outages(Subject subject, Path scratch) throws IOException {
            this.scratch = scratch;
            this.plantedClasses = PlantedSubject.classesOf(subject, scratch.resolve("planted"));
        }

        // One case at a time: a case of which nobody waits any more may still end its processes.
        @Override
        public synchronized Counts run(long seed) throws IOException, InterruptedException, SQLException {
            if (databases == null) {
                databases = TwoDatabases.start();
            }
            Path root = Files.createTempDirectory(scratch, "outages-").toRealPath();
            boolean isKept = false;
            try (Case one = new Case(seed, root)) {
                Counts counts = one.run();
                isKept = true;
                return counts;
            } finally {
                if (!isKept) {
                    close();
                }
                Directories.delete(root);
            }
        }

        @Override
        public synchronized void close() throws IOException {
            if (databases != null) {
                databases.close();
                databases = null;
            }
            if (cluster != null) {
                cluster.close();
                cluster = null;
            }
        }

        private LogServer server(boolean isReplicated) throws IOException {
            if (!isReplicated) {
                return new LogServer.Alone(databases.port());
            }
            if (cluster == null) {
                cluster = PostgresCluster.start();
            }
            return new LogServer.Replicated(cluster);
        }

        /** One home after the other, with one log. */
        private final class Case implements AutoCloseable {
            private final Random random;
            private final boolean halts;
            private final Path root;
            private final String nodeId;
            private final LogServer server;
            private final boolean isReplicated;
            private final Set<String> committed = new TreeSet<>();
            private Teller home;
            private Counts counts = Counts.NOTHING;

            Case(long seed, Path root) throws IOException {
                this.random = Seeds.random(seed);
                this.halts = seed % 2 == 0;
                this.root = root;
                this.nodeId = "o" + seed;
                this.isReplicated = seed % REPLICATED_SHARE == 0;
                this.server = server(isReplicated);
            }

            Counts run() throws IOException, InterruptedException, SQLException {
                begin();
                int outages = 1 + random.nextInt(MOST_OUTAGES);
                for (int i = 0; i < outages; i++) {
                    outage();
                }
                if (ask(HomeProcess.REST, HomeProcess.RESTED).isPresent()) {
                    scan();
                    scan();
                    if (!halts) {
                        checkNoneInDoubt();
                    }
                }
                end();
                start();
                recover();
                end();
                return Counts.of(UNIT, outages)
                        .plus(counts)
                        .and("transactions", databases.check(committed))
                        .and("with a standby", isReplicated ? outages : 0)
                        .and(halts ? "cases with halt" : "cases with throw", 1);
            }

            private void outage() throws IOException, InterruptedException {
                TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_BEFORE_MILLIS));
                counts = counts.and(server.goOut(random), 1);
                TimeUnit.MILLISECONDS.sleep(server.patienceMillis() + random.nextInt(MOST_MORE_MILLIS));
                boolean isKilled = halts && random.nextInt(KILLED_SHARE) == 0;
                boolean isKilledAfter = isKilled && random.nextBoolean();
                if (isKilled && !isKilledAfter) {
                    end();
                }
                server.comeBack(random);
                if (isKilledAfter) {
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_MORE_MILLIS));
                    end();
                }
                if (isKilled) {
                    counts = counts.and("killed", 1);
                    begin();
                } else if (awaitWorks()) {
                    counts = counts.and("served again", 1);
                    if (random.nextBoolean()) {
                        scan();
                    }
                } else {
                    counts = counts.and("ended by itself", 1);
                    end();
                    begin();
                }
            }

            private void begin() throws IOException, InterruptedException {
                start();
                home.hear(HomeProcess.LOAD);
            }

            private void end() throws InterruptedException {
                committed.addAll(home.kill());
            }

            private void checkNoneInDoubt() throws SQLException {
                Set<String> inDoubt = databases.inDoubt();
                if (!inDoubt.isEmpty()) {
                    throw new AssertionError("branches are left of transactions that were rolled back: " + inDoubt);
                }
            }

            /** Whether the home serves again; false if it has ended. */
            private boolean awaitWorks() throws IOException, InterruptedException {
                long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
                while (true) {
                    Optional<String> said = ask(HomeProcess.SAY_STATE, HomeProcess.STATE);
                    if (said.isEmpty() || !said.get().endsWith(HomeProcess.FAILED)) {
                        return said.isPresent();
                    }
                    if (System.nanoTime() > deadlineNanos) {
                        throw new AssertionError("liveness violated: a home does not serve again for "
                                + PATIENCE_SECONDS + " s after an outage");
                    }
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                }
            }

            /** Scans until no record is left. */
            private void recover() throws IOException, InterruptedException {
                Optional<String> left = Optional.empty();
                for (int i = 0; i < MOST_SCANS && !(i >= ORPHAN_SCANS && left.equals(NONE_LEFT)); i++) {
                    left = scan();
                }
                if (!left.equals(NONE_LEFT)) {
                    throw new AssertionError(
                            "I14 atomic 2PC violated: records left in the log after recovery: " + left);
                }
            }

            private Optional<String> scan() throws IOException, InterruptedException {
                return ask(HomeProcess.SCAN, HomeProcess.SCANNED).map(Teller::rest);
            }

            /** Gives an order, and answers what is said to it; empty if the process has ended. */
            private Optional<String> ask(String order, String word) throws IOException, InterruptedException {
                try {
                    home.hear(order);
                } catch (IOException ended) {
                    return Optional.empty();
                }
                return await(word);
            }

            /** The next line that begins with this word; empty if the process has ended. */
            private Optional<String> await(String word) throws InterruptedException {
                while (true) {
                    String said = home.next(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS))
                            .orElseThrow(() -> new AssertionError("liveness violated: a home does not say '" + word
                                    + "' for " + PATIENCE_SECONDS + " s"));
                    if (said.startsWith(word)) {
                        return Optional.of(said);
                    }
                    if (said.equals(Teller.ENDED)) {
                        return Optional.empty();
                    }
                }
            }

            /** Starts a home, and returns when it has recovered. As by a supervisor, a refused start is tried again. */
            private void start() throws IOException, InterruptedException {
                String said = "";
                for (int i = 0; i < MOST_STARTS; i++) {
                    Path errors = Files.createTempFile(root, "home-", ".log");
                    home = new Teller(command()
                            .redirectError(Redirect.appendTo(errors.toFile()))
                            .start());
                    if (await(HomeProcess.RECOVERED).isPresent()) {
                        return;
                    }
                    said = Files.readString(errors);
                    if (!said.contains(REFUSED)) {
                        break;
                    }
                }
                throw new AssertionError("a home does not start:\n" + said);
            }

            private ProcessBuilder command() {
                Map<String, String> properties = new LinkedHashMap<>(
                        HomeProcess.properties(nodeId, root.resolve("others").toString()));
                properties.put(StoreOption.STORE.key(), "postgresql");
                properties.put(StoreOption.NODE_ID.key(), nodeId);
                properties.put(StoreOption.POSTGRESQL_URL.key(), server.url());
                properties.put(StoreOption.POSTGRESQL_CREATE_TABLES.key(), "true");
                properties.put(StoreOption.REQUIRE_REPLICATION.key(), isReplicated ? "standby" : "none");
                properties.put(StoreOption.LEASE.key(), NodeLog.LEASE.toSeconds() + "s");
                properties.put(StoreOption.PATIENCE.key(), server.patienceMillis() + "ms");
                properties.put(StoreOption.ON_UNKNOWN_OUTCOME.key(), halts ? "halt" : "throw");
                ProcessBuilder command = SubjectProcess.command(
                        HomeProcess.class, properties, List.of(String.valueOf(databases.port())));
                plantedClasses.ifPresent(classes -> SubjectProcess.putFirst(classes, command));
                return command;
            }

            @Override
            public void close() throws IOException {
                if (home != null) {
                    home.abandon();
                }
                server.close();
            }
        }
    }
}
