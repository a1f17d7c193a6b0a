package io.tallystick.store.journal.artemis;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * The one thread behind the Artemis journal: makes files ready, gives dead ones another life, opens and stops the journal.
 * Runs what it is given in turn; what it gives to itself, at once, because the journal waits for some of that. It cannot be
 * interrupted, and a task that throws does not end it, but is told of.
 */
final class HouseThread extends Thread {
    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final Consumer<Throwable> failed;
    private volatile boolean ended;

    HouseThread(Consumer<Throwable> failed) {
        super("tallystick-artemis-keeper");
        setDaemon(true);
        this.failed = failed;
    }

    /** Nobody but {@link #end} ends this thread. */
    @Override
    public void interrupt() {
        // an interrupt is none of its business
    }

    /** Runs the task here, at once if this is the calling thread. */
    void execute(Runnable task) {
        if (!tryExecute(task)) {
            throw new RejectedExecutionException("the journal is closed");
        }
    }

    /** As {@link #execute}; false if the thread has ended, or ends before it comes to the task. */
    boolean tryExecute(Runnable task) {
        if (Thread.currentThread() == this) {
            task.run();
            return true;
        }
        return tryExecuteLater(task);
    }

    /** As {@link #tryExecute}, but in turn if this is the calling thread too. */
    boolean tryExecuteLater(Runnable task) {
        if (ended) {
            return false;
        }
        tasks.add(task);
        return !ended || isAlive();
    }

    /** Runs this here and returns what comes of it, however long that takes; leaves the interrupt flag set. */
    <T> T call(Callable<T> callable) throws IOException {
        Call<T> call = new Call<>(callable);
        execute(call);
        return call.result();
    }

    @Override
    public void run() {
        while (!ended || !tasks.isEmpty()) {
            try {
                tasks.take().run();
            } catch (Throwable thrown) { // whatever it is, what this thread does is not done any more as it should be
                failed.accept(thrown);
            }
        }
    }

    /** Runs what was given before, then ends the thread; returns when it has ended. */
    void end() {
        tasks.add(() -> ended = true);
        boolean interrupted = false;
        while (isAlive() && Thread.currentThread() != this) {
            try {
                join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Call<T> implements Runnable {
        private final Callable<T> callable;
        private final CountDownLatch done = new CountDownLatch(1);
        private T result;
        private Throwable thrown;

        Call(Callable<T> callable) {
            this.callable = callable;
        }

        @Override
        public void run() {
            try {
                result = callable.call();
            } catch (Throwable caught) { // thrown where the result is waited for
                thrown = caught;
            } finally {
                done.countDown();
            }
        }

        T result() throws IOException {
            boolean interrupted = false;
            while (true) {
                try {
                    done.await();
                    break;
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (thrown instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
            if (thrown instanceof IOException ioException) {
                throw ioException;
            }
            if (thrown != null) {
                throw new IOException("the Artemis journal failed: " + thrown, thrown);
            }
            return result;
        }
    }
}
