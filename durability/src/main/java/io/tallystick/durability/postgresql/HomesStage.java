package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.ring.Teller;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.subject.SubjectProcess;
import io.tallystick.durability.system.Directories;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Two homes of one node over two databases. The first home loses its log in some phase of its transactions: another
 * owner takes it, or its directory loses the lock or its place. The second home takes the log, begins transactions and
 * is killed in some phase, so that branches are in doubt that only its log decides. Then the first home, which lives,
 * runs recovery. In the end the second home comes back and recovers, and each transaction must be committed in both
 * databases or in none.
 */
public final class HomesStage implements Stage {
    private static final String HOMES = "losers";
    private static final int STAGE_PATIENCE_SECONDS = 300;
    private static final int PATIENCE_SECONDS = 60;
    private static final int MOST_TIMES = 20;
    private static final int MOST_LOAD_MILLIS = 400;
    private static final int SETTLE_MILLIS = 200;
    private static final int LOSER_SCANS = 3;
    private static final int HEALED_SHARE = 3;
    // A branch without a record is rolled back by the second pass that sees it.
    private static final int ORPHAN_SCANS = 2;
    private static final int MOST_SCANS = 8;
    private static final int MOST_STARTS = 5;
    private static final String REFUSED = StoreLockedException.class.getSimpleName(); // an owner lives
    private static final Optional<String> NONE_LEFT = Optional.of("0");
    private static final int POLL_MILLIS = 50;
    private static final String ANY_MOMENT = "any moment";
    private static final List<String> PHASES =
            List.of("before prepare", "after prepare", "before commit", "after commit", ANY_MOMENT);
    // In each of these a branch of the killed home is in doubt.
    private static final List<String> PHASES_OF_HEIR = List.of("after prepare", "before commit", "after commit");

    /** How the first home loses its log. */
    private enum Loss {
        LOCK_REMOVED(false, false),
        PLACE_MOVED(false, false),
        PLACE_MOVED_WHILE_STOPPED(false, true),
        TAKEN(true, false),
        CUT_OFF(true, false),
        TAKEN_WHILE_STOPPED(true, true);

        private final boolean isOfDatabase;
        private final boolean isStopped;

        Loss(boolean isOfDatabase, boolean isStopped) {
            this.isOfDatabase = isOfDatabase;
            this.isStopped = isStopped;
        }

        static List<Loss> of(boolean isOfDatabase) {
            return List.of(values()).stream()
                    .filter(each -> each.isOfDatabase == isOfDatabase)
                    .toList();
        }
    }

    @Override
    public String name() {
        return "homes";
    }

    @Override
    public String description() {
        return "a home of a node loses its log and goes on with recovery, while another one has branches in doubt";
    }

    @Override
    public String unit() {
        return HOMES;
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
        return SubjectCatalog.named(
                List.of("file", "journal-segmented-direct", "journal-artemis-channel", "postgresql"));
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.isOurs() && subject.is(Subject.Trait.DURABLE)
                ? Optional.empty()
                : Optional.of("it is no store of ours that survives a process");
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Homes(subject, scratch);
    }

    /** Cases over the same databases; after a violation the next case gets others. */
    private static final class Homes implements Session {
        private final boolean isInDatabase;
        private final ConfiguredSubject configured;
        private final Path scratch;
        private final Optional<Path> plantedClasses;
        // Null before the first case and after a violation.
        private TwoDatabases databases;

        Homes(Subject subject, Path scratch) throws IOException {
            this.configured = (ConfiguredSubject)
                    SubjectCatalog.named(List.of(subject.name())).get(0);
            this.isInDatabase =
                    subject.name().equals(SubjectCatalog.postgresql().name());
            this.scratch = scratch;
            this.plantedClasses = PlantedSubject.classesOf(subject, scratch.resolve("planted"));
        }

        // One case at a time: a case of which nobody waits any more may still end its processes.
        @Override
        public synchronized Counts run(long seed) throws IOException, InterruptedException, SQLException {
            List<Loss> losses = Loss.of(isInDatabase);
            Loss loss = losses.get((int) (seed % losses.size()));
            if (databases == null) {
                databases = TwoDatabases.start();
            }
            Path root = Files.createTempDirectory(scratch, "homes-").toRealPath();
            boolean isKept = false;
            try (Case one = new Case(seed, loss, root)) {
                Counts counts = one.run();
                isKept = true;
                return counts.and(loss.name(), 1);
            } catch (AssertionError broken) {
                throw new AssertionError(loss + ": " + broken.getMessage(), broken);
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
        }

        /** One node with a log of its own. */
        private final class Case implements AutoCloseable {
            private final Random random;
            private final Loss loss;
            private final Path root;
            private final Path directory;
            private final String nodeId;
            private final List<Teller> started = new ArrayList<>();
            private final FaultyProxy network;

            Case(long seed, Loss loss, Path root) throws IOException {
                this.random = Seeds.random(seed);
                this.loss = loss;
                this.root = root;
                this.directory = root.resolve("store");
                this.nodeId = "n" + seed;
                this.network = new FaultyProxy(databases.port());
            }

            Counts run() throws IOException, InterruptedException, SQLException {
                Teller loser = start(network.port());
                // One that is cut off in the middle of a write ends by itself, and judges nothing.
                String phase = PHASES.get(random.nextInt(PHASES.size() - (loss == Loss.CUT_OFF ? 1 : 0)));
                begin(loser, phase);
                if (random.nextBoolean()) {
                    scan(loser); // what it has proven then says nothing of the branches that it lists later
                }
                boolean isInScan = random.nextBoolean();
                if (isInScan) {
                    loser.hear(HomeProcess.SCAN_AND_WAIT);
                    await(loser, HomeProcess.LISTING).orElseThrow(() -> new AssertionError("a home has ended"));
                }
                Set<String> committed = lose(loser);

                Set<String> before = databases.inDoubt();
                Teller heir = start(databases.port());
                begin(heir, PHASES_OF_HEIR.get(random.nextInt(PHASES_OF_HEIR.size())));
                boolean isInTheWay = !loss.isStopped
                        && !isInScan
                        && random.nextBoolean()
                        && scan(loser).isPresent();
                committed.addAll(heir.kill());
                Set<String> ofHeir = databases.inDoubt();
                ofHeir.removeAll(before);
                if (loss.isStopped) {
                    loser.signal("CONT");
                }
                if (random.nextInt(HEALED_SHARE) == 0) {
                    network.hold(false, false);
                }
                int scans = isInScan && scan(loser, HomeProcess.GO_ON).isPresent() ? 1 : 0;
                while (scans < LOSER_SCANS && scan(loser).isPresent()) {
                    scans++;
                }
                if (!phase.equals(ANY_MOMENT)) { // otherwise it ends branches of its own meanwhile
                    checkLeftAlone(ofHeir);
                }

                Teller second = start(databases.port());
                Set<String> ofLoser = loser.kill();
                committed.addAll(isInDatabase ? ofLoser : Set.of());
                recover(second);
                committed.addAll(second.kill());
                return Counts.of(HOMES, 1)
                        .and("transactions", databases.check(committed))
                        .and("branches left alone", ofHeir.size())
                        .and("losses in a scan", isInScan ? 1 : 0)
                        .and("scans of losers", scans + (isInTheWay ? 1 : 0))
                        .and("losers that ended", scans < LOSER_SCANS ? 1 : 0);
            }

            private void checkLeftAlone(Set<String> ofHeir) throws SQLException {
                Set<String> ended = new TreeSet<>(ofHeir);
                ended.removeAll(databases.inDoubt());
                if (!ended.isEmpty()) {
                    throw new AssertionError(
                            "a home that has lost its log has judged branches of the next owner: " + ended);
                }
            }

            /** Scans until no record is left: while the loser lived, Narayana left to it what it had in flight. */
            private void recover(Teller home) throws IOException, InterruptedException {
                Optional<String> left = Optional.empty();
                for (int i = 0; i < MOST_SCANS && !(i >= ORPHAN_SCANS && left.equals(NONE_LEFT)); i++) {
                    left = scan(home);
                }
                if (!left.equals(NONE_LEFT)) {
                    throw new AssertionError(
                            "I14 atomic 2PC violated: records left in the log after recovery: " + left);
                }
            }

            /** Starts transactions, and returns when all of them stand in this phase, or after some time. */
            private void begin(Teller home, String phase) throws IOException, InterruptedException {
                boolean isAnyMoment = phase.equals(ANY_MOMENT);
                home.hear(HomeProcess.GO + " " + (1 + random.nextInt(MOST_TIMES)) + " " + phase.replace(' ', '.'));
                if (isAnyMoment) {
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_LOAD_MILLIS));
                } else {
                    await(home, HomeProcess.WAITING);
                }
                TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
            }

            /** Takes the log away, and answers what the loser had reported as committed before. */
            private Set<String> lose(Teller loser) throws IOException, InterruptedException {
                if (loss.isStopped) {
                    loser.signal("STOP");
                }
                Set<String> committed = new TreeSet<>();
                switch (loss) {
                    case LOCK_REMOVED -> {
                        committed.addAll(loser.committed());
                        Files.delete(directory.resolve(StoreDirectory.LOCK_FILE));
                        awaitFailure(loser);
                    }
                    case PLACE_MOVED, PLACE_MOVED_WHILE_STOPPED -> {
                        committed.addAll(loser.committed());
                        Path away = root.resolve("away");
                        Files.move(directory, away);
                        if (!loss.isStopped) {
                            awaitFailure(loser);
                        }
                        Directories.copy(away, directory);
                    }
                    case CUT_OFF -> network.hold(true, true);
                    default -> {
                        // the other home takes the log when it starts
                    }
                }
                return committed;
            }

            /** Returns when the loser knows that it has failed. */
            private void awaitFailure(Teller loser) throws IOException, InterruptedException {
                long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
                while (true) {
                    loser.hear(HomeProcess.SAY_STATE);
                    Optional<String> said = await(loser, HomeProcess.STATE);
                    if (said.isEmpty() || said.get().endsWith(HomeProcess.FAILED)) {
                        return;
                    }
                    if (System.nanoTime() > deadlineNanos) {
                        throw new AssertionError("the loss was not noticed for " + PATIENCE_SECONDS + " s");
                    }
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                }
            }

            /** Has a process scan once. Answers the records left; empty if the process has ended. */
            private Optional<String> scan(Teller home) throws IOException, InterruptedException {
                return scan(home, HomeProcess.SCAN);
            }

            /** As the other method; the order may also be the one to go on with a scan. */
            private Optional<String> scan(Teller home, String order) throws IOException, InterruptedException {
                try {
                    home.hear(order);
                } catch (IOException ended) {
                    return Optional.empty();
                }
                return await(home, HomeProcess.SCANNED).map(Teller::rest);
            }

            /** The next line that begins with this word; empty if the process has ended. */
            private Optional<String> await(Teller home, String word) throws InterruptedException {
                while (true) {
                    String said = home.next(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS))
                            .orElseThrow(() -> new AssertionError("liveness violated: a home does not say '" + word
                                    + "' for " + PATIENCE_SECONDS + " s"));
                    if (said.startsWith(word)) {
                        return Optional.of(said);
                    }
                    if (said.equals(Teller.ENDED)) {
                        home.abandon();
                        return Optional.empty();
                    }
                }
            }

            /** Starts a home, and returns when it has recovered. As by a supervisor, a refused start is tried again. */
            private Teller start(int portOfLog) throws IOException, InterruptedException {
                String said = "";
                for (int i = 0; i < MOST_STARTS; i++) {
                    Path errors = Files.createTempFile(root, "home-", ".log");
                    Teller home = new Teller(command(portOfLog)
                            .redirectError(Redirect.appendTo(errors.toFile()))
                            .start());
                    started.add(home);
                    if (await(home, HomeProcess.RECOVERED).isPresent()) {
                        return home;
                    }
                    said = Files.readString(errors);
                    if (!said.contains(REFUSED)) {
                        break;
                    }
                }
                throw new AssertionError("a home does not start:\n" + said);
            }

            private ProcessBuilder command(int portOfLog) {
                Map<String, String> properties = new LinkedHashMap<>(
                        HomeProcess.properties(nodeId, root.resolve("others").toString()));
                properties.putAll(propertiesOfStore(portOfLog));
                // Narayana rolls back where a write failed. If nobody knows whether it did, recovery decides.
                properties.put(StoreOption.ON_UNKNOWN_OUTCOME.key(), "halt");
                ProcessBuilder command = SubjectProcess.command(
                        HomeProcess.class, properties, List.of(String.valueOf(databases.port())));
                plantedClasses.ifPresent(classes -> SubjectProcess.putFirst(classes, command));
                return command;
            }

            private Map<String, String> propertiesOfStore(int portOfLog) {
                if (!isInDatabase) {
                    Map<String, String> properties = new LinkedHashMap<>(configured.properties(directory));
                    properties.put(StoreOption.NODE_ID.key(), nodeId);
                    return properties;
                }
                return Map.of(
                        StoreOption.STORE.key(),
                        "postgresql",
                        StoreOption.NODE_ID.key(),
                        nodeId,
                        StoreOption.POSTGRESQL_URL.key(),
                        TwoDatabases.logUrl(portOfLog),
                        StoreOption.POSTGRESQL_CREATE_TABLES.key(),
                        "true",
                        StoreOption.REQUIRE_REPLICATION.key(),
                        "none",
                        StoreOption.LEASE.key(),
                        NodeLog.LEASE.toSeconds() + "s",
                        StoreOption.PATIENCE.key(),
                        "5s",
                        StoreOption.TAKEOVER.key(),
                        loss == Loss.TAKEN ? "at-once" : "after-lease");
            }

            @Override
            public void close() throws IOException {
                started.forEach(Teller::abandon);
                network.close();
            }
        }
    }
}
