package io.tallystick.durability.settle;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A node dies with transactions in every state, and an operator deals with them by all commands, right and wrong, in a
 * random order. A part of the commands is killed, two run at once, resources are away. A model knows what was decided.
 * No resource may be told anything else; an audit must name each branch rightly and change nothing; what can end must
 * end; and each deed must stand in the trail.
 */
public final class SettleStage implements Stage {
    /** The node of all histories. */
    static final String NODE = "orders-1";

    /** In the directory of a history. */
    static final String STORE = "store";

    static final String RESOURCES = "resources";
    static final String KEEP_IN = "keep";

    static final String HISTORIES = "histories";

    private static final int STAGE_PATIENCE_SECONDS = 300;

    // Histories without a kill.
    private static final List<Long> TRAINING_SEEDS = List.of(2L, 3L, 4L);

    private final boolean isOnDatabases;

    private SettleStage(boolean isOnDatabases) {
        this.isOnDatabases = isOnDatabases;
    }

    /** The resources are directories, and one command in eight is killed. */
    public static Stage onLedgers() {
        return new SettleStage(false);
    }

    /** The resources are two databases, and half of the commands are killed. */
    public static Stage onDatabases() {
        return new SettleStage(true);
    }

    @Override
    public String name() {
        return isOnDatabases ? "settle-databases" : "settle";
    }

    @Override
    public String description() {
        return isOnDatabases
                ? "as settle, on two databases, with a kill in half of the commands"
                : "audit, forget, import, SettleBranch, RecoverNode and restarts in any order, against a model";
    }

    @Override
    public String unit() {
        return HISTORIES;
    }

    @Override
    public long quickCount() {
        return isOnDatabases ? 4 : 24;
    }

    @Override
    public long fullCount() {
        return isOnDatabases ? 300 : 10_000;
    }

    @Override
    public int patienceSeconds() {
        return STAGE_PATIENCE_SECONDS;
    }

    @Override
    public Optional<String> unavailableBecause() {
        return isOnDatabases ? DatabaseManagers.unavailableBecause() : Optional.empty();
    }

    @Override
    public List<Subject> subjects() {
        return SubjectCatalog.named(
                isOnDatabases
                        ? List.of("file", "journal-segmented-channel")
                        : List.of("file", "journal-segmented-channel", "journal-artemis-channel"));
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        if (!subject.isOurs() || !subject.is(Trait.DURABLE)) {
            return Optional.of("it is no store of ours that survives a process");
        }
        return subject.name().equals(SubjectCatalog.postgresql().name())
                ? Optional.of("a log in a database has the stage postgresql-settle")
                : Optional.empty();
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Histories(subject, scratch, isOnDatabases);
    }

    /** Histories that share processes for their commands. */
    private static final class Histories implements Session {
        private final ConfiguredSubject configured;
        private final Path scratch;
        private final boolean isOnDatabases;
        private final Optional<Path> plantedClasses;
        // Null before the first history and after a violation.
        private DatabaseManagers databases;
        // Of histories without a kill: these processes live on, and their code gets quick.
        private Workers lasting;
        // Of those with kills.
        private Workers mortal;

        Histories(Subject subject, Path scratch, boolean isOnDatabases) throws IOException {
            this.configured = (ConfiguredSubject)
                    SubjectCatalog.named(List.of(subject.name())).get(0);
            this.scratch = scratch;
            this.isOnDatabases = isOnDatabases;
            this.plantedClasses = PlantedSubject.classesOf(subject, scratch.resolve("planted"));
        }

        // One case at a time: a case of which nobody waits any more may still end its processes.
        @Override
        public synchronized Counts run(long seed) throws IOException, InterruptedException {
            if (isOnDatabases && databases == null) {
                databases = DatabaseManagers.start(scratch.resolve("databases"));
            }
            if (databases != null) {
                databases.reset();
            }
            if (lasting == null) {
                int port = isOnDatabases ? databases.port() : 0;
                List<String> trained = trained();
                lasting = workers("lasting", port, List.of());
                mortal = workers("mortal", port, trained);
            }
            boolean isSound = false;
            try {
                Counts counts = history(seed, Optional.ofNullable(databases), lasting, mortal);
                isSound = true;
                return counts;
            } finally {
                if (!isSound) {
                    close();
                }
            }
        }

        private Counts history(long seed, Optional<DatabaseManagers> on, Workers living, Workers dying)
                throws IOException, InterruptedException {
            Path directory = Files.createTempDirectory(scratch, "history-").toRealPath();
            ResourceManagers managers = on.isPresent() ? on.get() : new Ledgers(directory.resolve(RESOURCES));
            try {
                HistoryLog log = logIn(directory);
                Counts counts = new SettleHistory(seed, log, directory, managers, living, dying).run();
                log.delete();
                return counts;
            } finally {
                Directories.delete(directory);
            }
        }

        /** Options with which a process takes the classes that some histories have loaded from an archive. */
        private List<String> trained() throws IOException, InterruptedException {
            Path archive = scratch.resolve("workers.jsa");
            if (plantedClasses.isEmpty() && !Files.exists(archive)) {
                try (Workers training = workers("training", 0, List.of("-XX:ArchiveClassesAtExit=" + archive))) {
                    for (long seed : TRAINING_SEEDS) {
                        history(seed, Optional.empty(), training, training);
                    }
                    training.retire();
                }
            }
            return Files.exists(archive) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of();
        }

        private Workers workers(String name, int port, List<String> options) throws IOException {
            return new Workers(
                    configured, Files.createDirectories(scratch.resolve(name)), plantedClasses, port, options);
        }

        /** The log of the history in this directory, with its settings for the workers. */
        private HistoryLog logIn(Path directory) throws IOException {
            HistoryLog log = configured
                            .name()
                            .equals(SubjectCatalog.postgresql().name())
                    ? new LogInDatabase(
                            configured, directory, Files.createDirectory(directory.resolve(SettleStage.KEEP_IN)))
                    : new LogInDirectory(configured, directory.resolve(STORE));
            Worker.write(log.settings(), directory);
            return log;
        }

        @Override
        public synchronized void close() throws IOException {
            if (lasting != null) {
                lasting.close();
                mortal.close();
                lasting = null;
            }
            if (databases != null) {
                databases.close();
                databases = null;
            }
        }
    }
}
