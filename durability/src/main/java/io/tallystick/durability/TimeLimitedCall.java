package io.tallystick.durability;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Calls on a thread of its own, so that a store that hangs is told from one that works. */
public final class PatientCall {
    private PatientCall() {}

    /** Runs the case of this seed, for as long as its stage has patience, but no longer than {@code mostSeconds}. */
    public static Counts caseOf(Stage stage, Stage.Session session, long seed, int mostSeconds)
            throws ExecutionException, InterruptedException {
        int patienceSeconds = Math.min(stage.patienceSeconds(), mostSeconds);
        return of(stage.name() + "-case-" + seed, patienceSeconds, () -> session.run(seed));
    }

    /**
     * Calls this, and leaves the thread behind if it does not come to an end.
     *
     * @param name of the thread
     * @throws ExecutionException what was thrown, or a {@link Hang}, as its cause
     */
    public static <T> T of(String name, int patienceSeconds, Callable<T> call)
            throws ExecutionException, InterruptedException {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(patienceSeconds, TimeUnit.SECONDS);
        } catch (TimeoutException hangs) {
            throw new ExecutionException(new Hang(patienceSeconds));
        }
    }

    /** What did not end; what it holds stays held. */
    public static final class Hang extends AssertionError {
        private static final long serialVersionUID = 1L;

        Hang(int patienceSeconds) {
            super("I12 liveness violated: no end within " + patienceSeconds + " s; threads:\n" + stacks());
        }

        private static String stacks() {
            return Thread.getAllStackTraces().entrySet().stream()
                    .map(entry -> entry.getKey() + "\n    "
                            + Arrays.stream(entry.getValue())
                                    .map(String::valueOf)
                                    .collect(Collectors.joining("\n    ")))
                    .collect(Collectors.joining("\n"));
        }
    }
}
