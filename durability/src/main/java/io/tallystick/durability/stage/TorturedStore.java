package io.tallystick.durability.stage;

import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectProcess;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.process.StoreProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A store that is opened by one process after another, and checked after each process has died. This object records its
 * acknowledgements. After a violation the caller begins with another store.
 */
final class TorturedStore {
    private static final int MAX_RECOVERY_MILLIS = 900;

    private final Subject subject;
    private final Path directory;
    private final Launch launch;
    private final Oracle oracle = new Oracle();
    private StoreProcess process;
    private ObjectStore watched;

    /** The command that starts a store in a process. */
    interface Launch {
        ProcessBuilder command(Subject subject, Path directory);
    }

    TorturedStore(Subject subject, Path directory) {
        this(subject, directory, SubjectProcess::command);
    }

    TorturedStore(Subject subject, Path directory, Launch launch) {
        this.subject = subject;
        this.directory = directory;
        this.launch = launch;
    }

    /** Opens the store in a new process and checks its states. */
    void open() throws IOException {
        process = SubjectProcess.start(launch.command(subject, directory));
        try {
            oracle.checkRecovered(process);
            watched = oracle.watch(process);
            oracle.revealAll(watched);
        } catch (AssertionError | RuntimeException broken) {
            process.kill();
            throw broken;
        }
    }

    /** Opens the store in a process that is killed at a random moment, most often before the store is open. */
    void openAndKill(Random random) throws IOException, InterruptedException {
        Process doomed = launch.command(subject, directory).start();
        doomed.waitFor(random.nextInt(MAX_RECOVERY_MILLIS), TimeUnit.MILLISECONDS);
        doomed.destroyForcibly();
        doomed.waitFor();
    }

    Torture beginLoad(long seed) {
        return beginLoad(seed, Torture.THREADS);
    }

    Torture beginLoad(long seed, int threads) {
        return Torture.begin(subject, watched, seed, threads);
    }

    /** The process in which the store lives, past the oracle. */
    StoreProcess process() {
        return process;
    }

    /** From now on it may say that it is damaged. */
    void expectDamage() {
        oracle.expectDamage();
    }

    /** The store, with the oracle between. */
    ObjectStore watched() {
        return watched;
    }

    /** Closes the store properly. */
    void close() {
        watched.close();
    }

    /** Ends the process, if it runs. */
    void kill() {
        if (process != null) {
            process.kill();
        }
    }

    /** Ends the process and gives up the store, without a check. */
    void abandon() {
        try {
            kill();
        } catch (AssertionError | StoreException stuck) {
            // another thread reports the violation
        }
    }
}
