package io.tallystick.durability.ring;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.subject.SubjectProcess;
import io.tallystick.narayana.RecoverNode;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreOption;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * A node that moves amounts between three accounts dies under load, and {@link RecoverNode} adopts its log. The adopter
 * may be killed too. The node may come back in the middle of an adoption, or wake up after SIGSTOP. In the end an
 * adopter must end with status 0. Then each transaction is committed in all accounts or in none, all that was reported
 * as committed is, and the log is empty.
 */
public final class AdoptionStage implements Stage {
    private static final String ADOPTIONS = "adoptions";

    // The statuses of RecoverNode that may occur, as docs/recover-node.md has them.
    private static final int RECOVERED = 0;
    private static final int NODE_IS_BACK = 6;
    private static final int OWNER_LIVES = 7;
    private static final int NOT_CLOSED = 8;

    private static final int STAGE_PATIENCE_SECONDS = 400;
    private static final int PATIENCE_SECONDS = 100;
    private static final String PROOF_TIMEOUT = "90s";
    private static final int MAX_TRANSACTIONS = 40;
    private static final int MAX_LOAD_MILLIS = 600;
    private static final int MAX_MIDDLE_MILLIS = 1_500;
    private static final int MAX_ADOPTERS_KILLED = 2;

    // Longer than the scans of a proof that forgets the interval.
    private static final String LONG_ORPHAN_MILLIS = "5000";
    private static final int LONG_ORPHAN_SHARE = 2;
    private static final String DIRECTORY_PATIENCE = "6s";

    private static final String ANY_MOMENT = "any moment";
    private static final List<String> PHASES =
            List.of("after prepare", "before commit", "after commit", ANY_MOMENT, ANY_MOMENT, ANY_MOMENT);
    private static final List<String> RECOVERY_PHASES =
            List.of("before commit", "after commit", "before rollback", ANY_MOMENT);

    @Override
    public String name() {
        return "adoption";
    }

    @Override
    public String description() {
        return "a node dies under load; RecoverNode adopts its log, and is killed, or meets the node again";
    }

    @Override
    public String unit() {
        return ADOPTIONS;
    }

    @Override
    public long quickCount() {
        return 7;
    }

    @Override
    public long fullCount() {
        return 1_000;
    }

    @Override
    public int patienceSeconds() {
        return STAGE_PATIENCE_SECONDS;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        if (!subject.isOurs()) {
            return Optional.of("RecoverNode adopts logs of this library");
        }
        return subject.is(Trait.DURABLE) ? Optional.empty() : Optional.of("it promises nothing after a kill");
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Adoptions(subject, scratch);
    }

    /** What happens to the node and to the first adopters. */
    private enum Kind {
        NODE_KILLED("node killed"),
        ADOPTER_KILLED("adopter killed too"),
        NODE_BACK("node back in the middle"),
        NODE_STOPPED("node stopped");

        private final String counter;

        Kind(String counter) {
            this.counter = counter;
        }

        /** So that several sessions with neighbouring seeds have different kinds, and each of them has all in turn. */
        static Kind of(long seed) {
            int count = values().length;
            return values()[(int) ((seed + seed / count) % count)];
        }
    }

    /** A node, which dies again and again. After a violation the next case gets a new node. */
    private static final class Adoptions implements Session {
        private final Subject subject;
        private final ConfiguredSubject configured;
        private final Path scratch;
        private final Optional<Path> plantedClasses;
        private final List<Teller> started = new ArrayList<>();
        // Null before the first case and after a violation.
        private Path directory;
        private Set<String> committed = new TreeSet<>();
        private Random random = new Random();

        Adoptions(Subject subject, Path scratch) throws IOException {
            this.subject = subject;
            this.configured = (ConfiguredSubject)
                    SubjectCatalog.named(List.of(subject.name())).get(0);
            this.scratch = scratch;
            this.plantedClasses = PlantedSubject.classesOf(subject, scratch.resolve("planted"));
        }

        // One case at a time: a case of which nobody waits any more may still end its processes.
        @Override
        public synchronized Counts run(long seed) throws IOException, InterruptedException {
            Kind kind = Kind.of(seed);
            random = Seeds.random(seed);
            committed = new TreeSet<>();
            boolean isKept = false;
            try {
                if (directory == null) {
                    directory = Files.createTempDirectory(scratch, "node-");
                }
                Files.deleteIfExists(adopterLog());
                Counts counts = adopt(kind);
                isKept = true;
                return counts;
            } catch (AssertionError broken) {
                throw new AssertionError(
                        kind.counter + ": " + broken.getMessage() + "\nadopters, the last one last:\n" + adoptersSaid(),
                        broken);
            } finally {
                close();
                if (!isKept) {
                    directory = null;
                }
            }
        }

        private Counts adopt(Kind kind) throws IOException, InterruptedException {
            Teller node = startNode();
            boolean isStopped = kind == Kind.NODE_STOPPED;
            load(node, isStopped ? ANY_MOMENT : PHASES.get(random.nextInt(PHASES.size())));
            if (!isStopped) {
                committed.addAll(node.kill());
            }
            Counts counts = Counts.of(ADOPTIONS, 1).and(kind.counter, 1);
            switch (kind) {
                case NODE_KILLED -> {
                    // the last adopter is the first
                }
                case ADOPTER_KILLED -> counts = counts.plus(killAdopters());
                case NODE_BACK -> counts = counts.plus(comeBack());
                case NODE_STOPPED -> counts = counts.plus(stop(node));
            }
            checkStatus(startAdopter("", 0), RECOVERED);
            RingProcess.accounts(directory).check(committed);
            checkLogIsEmpty();
            return counts.and("transactions", committed.size());
        }

        private void load(Teller node, String phase) throws IOException, InterruptedException {
            node.hear((3 + random.nextInt(MAX_TRANSACTIONS)) + " " + phase);
            Optional<String> said = node.next(
                    phase.equals(ANY_MOMENT)
                            ? random.nextInt(MAX_LOAD_MILLIS)
                            : TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            if (said.isPresent() && !said.get().startsWith(Standstill.WAITING)) {
                throw new AssertionError("a transaction failed without cause: " + said.get());
            }
        }

        private Counts killAdopters() throws IOException, InterruptedException {
            Counts counts = Counts.NOTHING;
            int count = 1 + random.nextInt(MAX_ADOPTERS_KILLED);
            for (int i = 0; i < count; i++) {
                String phase = RECOVERY_PHASES.get(random.nextInt(RECOVERY_PHASES.size()));
                Teller adopter = startAdopter(phase, 1 + random.nextInt(2));
                if (!awaitMiddle(adopter, phase)) {
                    checkStatus(adopter, RECOVERED);
                    return counts;
                }
                adopter.kill();
                counts = counts.and("adopters killed", 1);
            }
            return counts;
        }

        private Counts comeBack() throws IOException, InterruptedException {
            String phase = RECOVERY_PHASES.get(random.nextInt(RECOVERY_PHASES.size()));
            Teller adopter = startAdopter(phase, 1);
            awaitMiddle(adopter, phase);
            Teller node = startNode();
            load(node, ANY_MOMENT);
            committed.addAll(node.kill());
            // The node may take the log while the adopter closes it.
            return switch (checkStatus(adopter, RECOVERED, NODE_IS_BACK, NOT_CLOSED)) {
                case NODE_IS_BACK -> Counts.of("adopters that left", 1);
                case NOT_CLOSED -> Counts.of("adopters that could not close", 1);
                default -> Counts.of("adopters that were ready before", 1);
            };
        }

        /**
         * Stops the node, and wakes it up when its log was adopted, or while it is. The lock of a directory stays that
         * of a process that is stopped, so its log is not adopted.
         */
        private Counts stop(Teller node) throws IOException, InterruptedException {
            node.signal("STOP");
            Teller adopter = startAdopter("", 0);
            if (!isInDatabase()) {
                checkStatus(adopter, OWNER_LIVES);
                node.signal("CONT");
                Optional<String> said = node.next(random.nextInt(MAX_LOAD_MILLIS));
                if (said.isPresent()) {
                    throw new AssertionError("a transaction failed without cause after SIGCONT: " + said.get());
                }
                committed.addAll(node.kill());
                return Counts.of("adopters refused", 1);
            }
            boolean isInTheMiddle = random.nextBoolean();
            if (isInTheMiddle) {
                awaitMiddle(adopter, ANY_MOMENT);
            } else {
                checkStatus(adopter, RECOVERED);
            }
            node.signal("CONT");
            awaitBroken(node);
            committed.addAll(node.kill());
            if (isInTheMiddle) {
                checkStatus(adopter, RECOVERED);
            }
            return Counts.of(isInTheMiddle ? "woken in the middle" : "woken afterwards", 1);
        }

        /** Returns when no thread of the node moves amounts any more. */
        private static void awaitBroken(Teller node) throws InterruptedException {
            int broken = 0;
            while (broken < RingProcess.THREADS) {
                String said = node.next(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS))
                        .orElseThrow(() -> new AssertionError("fence violated: a node that was stopped and adopted"
                                + " begins transactions for " + PATIENCE_SECONDS + " s"));
                if (said.equals(Teller.ENDED)) {
                    return;
                }
                broken++;
            }
        }

        private boolean isInDatabase() {
            return subject.name().equals(SubjectCatalog.postgresql().name());
        }

        /** Starts the node, and returns when it has recovered. */
        private Teller startNode() throws IOException, InterruptedException {
            Map<String, String> properties = properties();
            properties.put("CoreEnvironmentBean.nodeIdentifier", nodeId());
            properties.put("JTAEnvironmentBean.xaRecoveryNodes", nodeId());
            // Narayana rolls back where a write failed. If nobody knows whether it did, recovery decides.
            properties.put(StoreOption.ON_UNKNOWN_OUTCOME.key(), "halt");
            Teller node = started(SubjectProcess.command(
                    RingProcess.class, properties, List.of(RingProcess.CONFIGURED, directory.toString(), "", "0")));
            String said = node.next(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS)).orElse("nothing");
            if (!said.equals(RingProcess.RECOVERED + " 0")) {
                throw new AssertionError("the node does not start: it says '" + said + "', and should say that it has"
                        + " recovered, with 0 records left");
            }
            return node;
        }

        /** Starts an adopter, which waits for ever at that occurrence of the step. */
        private Teller startAdopter(String phase, int times) throws IOException {
            Map<String, String> properties = properties();
            if (random.nextInt(LONG_ORPHAN_SHARE) == 0) {
                properties.put("JTAEnvironmentBean.orphanSafetyInterval", LONG_ORPHAN_MILLIS);
            }
            if (!isInDatabase()) {
                properties.put(StoreOption.PATIENCE.key(), DIRECTORY_PATIENCE);
            }
            String helper = RingRecovery.class.getName()
                    + '='
                    + RingRecovery.text(phase, times, RingProcess.accounts(directory));
            ProcessBuilder command = SubjectProcess.command(
                    RecoverNode.class,
                    properties,
                    List.of("--node", nodeId(), "--timeout", PROOF_TIMEOUT, "--helper", helper));
            plantedClasses.ifPresent(classes -> SubjectProcess.putFirst(classes, command));
            return started(command.redirectError(Redirect.appendTo(adopterLog().toFile())));
        }

        private Map<String, String> properties() {
            Map<String, String> properties = new LinkedHashMap<>(RingProcess.properties(directory));
            properties.putAll(configured.properties(RingProcess.store(directory)));
            return properties;
        }

        private String nodeId() {
            return configured
                    .configuration(RingProcess.store(directory))
                    .find(StoreOption.NODE_ID)
                    .orElse(directory.getFileName().toString());
        }

        private Teller started(ProcessBuilder command) throws IOException {
            Teller teller = new Teller(command.start());
            started.add(teller);
            return teller;
        }

        /**
         * Returns when the adopter has the log and is at work: it waits at the step, or some time has passed.
         *
         * @return whether it is at work; otherwise it has ended
         */
        private boolean awaitMiddle(Teller adopter, String phase) throws InterruptedException {
            String said = "";
            while (!said.startsWith(phase.equals(ANY_MOMENT) ? RingRecovery.ASKED : Standstill.WAITING)) {
                said = adopter.next(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS))
                        .orElseThrow(() -> new AssertionError("the adopter neither works nor ends"));
                if (said.equals(Teller.ENDED)) {
                    return false;
                }
            }
            TimeUnit.MILLISECONDS.sleep(phase.equals(ANY_MOMENT) ? random.nextInt(MAX_MIDDLE_MILLIS) : 0);
            return true;
        }

        /** Checks that the adopter ends with one of these statuses, and answers the status. */
        private static int checkStatus(Teller adopter, int... allowed) throws InterruptedException {
            OptionalInt status = adopter.awaitEnd(PATIENCE_SECONDS);
            for (int each : allowed) {
                if (status.equals(OptionalInt.of(each))) {
                    return each;
                }
            }
            throw new AssertionError("the adopter's status is "
                    + (status.isPresent() ? String.valueOf(status.getAsInt()) : "none, it does not end")
                    + "; allowed: " + Arrays.toString(allowed));
        }

        private void checkLogIsEmpty() {
            try (ObjectStore log = subject.open(RingProcess.store(directory))) {
                if (!log.types().isEmpty()) {
                    throw new AssertionError("an adopter ended with status 0, and records are left: " + log.types());
                }
            }
        }

        private Path adopterLog() {
            return directory.resolve("adopters.log");
        }

        private String adoptersSaid() throws IOException {
            return Files.exists(adopterLog()) ? Files.readString(adopterLog()) : "nothing";
        }

        @Override
        public synchronized void close() {
            started.forEach(Teller::abandon);
            started.clear();
        }
    }
}
