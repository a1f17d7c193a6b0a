package io.tallystick.benchmarks.experiments;

import io.tallystick.benchmarks.UsageException;
import io.tallystick.benchmarks.run.Selection;
import io.tallystick.benchmarks.subject.Subject;
import java.io.IOException;
import java.util.List;

/** The arguments of experiments that start a JVM for each store: a mistake in them is one line and status 2. */
public final class LocalStores {
    private LocalStores() {}

    /** What a program does. */
    public interface Program {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Stores by name or group, without those in a database.
     *
     * @throws UsageException there is no such store, or it needs a server, which these programs do not start
     */
    public static List<Subject> named(String names) {
        List<Subject> subjects = Selection.stores(List.of(names));
        subjects.stream().filter(Subject::isInDatabase).findFirst().ifPresent(subject -> {
            throw new UsageException(subject.name() + " needs a server, which this program does not start");
        });
        return subjects;
    }

    /** Runs a program; a mistake of its user ends this JVM with status 2. */
    public static void run(String command, Program program) throws IOException, InterruptedException {
        try {
            program.run();
        } catch (UsageException mistake) {
            System.err.println("./bench " + command + ": " + mistake.getMessage());
            System.exit(2);
        }
    }
}
