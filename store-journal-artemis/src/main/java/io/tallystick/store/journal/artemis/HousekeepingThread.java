package io.tallystick.store.journal.artemis;

import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * The one thread behind the Artemis journal. It runs its tasks in turn. A task that it gives to itself runs at
 * once, because the journal waits for some of them. An interrupt does not reach it. A task that throws does not end
 * it; a listener hears of the error.
 */
final class HousekeepingThread extends StoreThread {
    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final Consumer<Throwable> failed;
    private volatile boolean ended;

    private HousekeepingThread(Making making, Consumer<Throwable> failed) {
        super(making, "tallystick-artemis-housekeeper");
        this.failed = failed;
    }

    /** A thread that was not started; the consumer hears of what a task throws. */
    static HousekeepingThread telling(Consumer<Throwable> failed) {
        return StoreThread.made(making -> new HousekeepingThread(making, failed));
    }

    /** Does nothing: only {@link #end} ends this thread. */
    @Override
    public void interrupt() {
        // a task that sees an interrupt would close its files
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

    /** Runs this here and returns the result, however long that takes; leaves the interrupt flag set. */
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
            } catch (Throwable thrown) { // the task is not done
                tell(thrown);
            }
        }
    }

    private void tell(Throwable thrown) {
        try {
            failed.accept(thrown);
        } catch (Throwable notTold) { // by a logger perhaps; callers of later tasks must not wait for ever
            thrown.addSuppressed(notTold);
        }
    }

    /** Runs the tasks that were given before, then ends the thread; returns when it has ended. */
    void end() {
        tasks.add(() -> ended = true);
        UninterruptedWait.join(this);
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
            UninterruptedWait.through(() -> done.await());
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
