package io.tallystick.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a task on several threads that begin together, and waits for all of them within a bound. */
public final class Threads {
    /** The threads of one run count as stuck after this time, seconds. */
    public static final int PATIENCE_SECONDS = 60;

    private Threads() {}

    /** The task of each thread. */
    @FunctionalInterface
    public interface Task {
        void run(int thread) throws Exception;
    }

    /** Runs the task on this many platform threads. */
    public static void run(int count, Task task) {
        runOn(Executors.newCachedThreadPool(), count, task);
    }

    /** Runs the task this many times on the executor, which is shut down afterwards. */
    public static void runOn(ExecutorService executor, int count, Task task) {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<Void>> futures = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                int thread = i;
                futures.add(executor.submit(() -> {
                    start.await();
                    task.run(thread);
                    return null;
                }));
            }
            start.countDown();
            awaitAll(futures);
        } finally {
            executor.shutdownNow();
        }
    }

    /** Waits for the latch. An interrupt does not end the wait; the thread's interrupt flag is set afterwards. */
    public static void await(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitAll(List<Future<Void>> futures) {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        AssertionError failure = null;
        for (int i = 0; i < futures.size(); i++) {
            try {
                futures.get(i).get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (ExecutionException failed) {
                failure = added(failure, "thread " + i + " failed: " + failed.getCause(), failed.getCause());
            } catch (TimeoutException stuck) {
                failure = added(failure, "thread " + i + " is stuck after " + PATIENCE_SECONDS + " s", stuck);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for thread " + i, interrupted);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static AssertionError added(AssertionError first, String message, Throwable cause) {
        AssertionError next = new AssertionError(message, cause);
        if (first == null) {
            return next;
        }
        first.addSuppressed(next);
        return first;
    }
}
