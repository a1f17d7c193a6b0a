package io.tallystick.durability;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Calls on a thread of their own with a time limit, so that a store that hangs fails its case. */
public final class TimeLimitedCall {
    private TimeLimitedCall() {}

    /** Runs the case of this seed. The time limit is the stage's, but at most {@code mostSeconds}. */
    public static Counts caseOf(Stage stage, Stage.Session session, long seed, int mostSeconds)
            throws ExecutionException, InterruptedException {
        int patienceSeconds = Math.min(stage.patienceSeconds(), mostSeconds);
        return of(stage.name() + "-case-" + seed, patienceSeconds, () -> session.run(seed));
    }

    /**
     * Makes the call, and leaves the thread behind if the call does not end in time.
     *
     * @param name of the thread
     * @throws ExecutionException the call threw its cause, or its cause is a {@link Hang}
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

    /** A call that did not end in time. Its thread keeps running and keeps its locks. */
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
