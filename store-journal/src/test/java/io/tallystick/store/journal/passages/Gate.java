package io.tallystick.store.journal.passages;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds one thread, known by its name, the first time that it comes here, until the test opens the gate. */
public final class Gate implements Runnable {
    private static final int PATIENCE_SECONDS = 60;

    private final String heldThread;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    /** A closed gate for this thread. */
    public Gate(String heldThread) {
        this.heldThread = heldThread;
    }

    @Override
    public void run() {
        if (Thread.currentThread().getName().equals(heldThread)) {
            reached.countDown();
            await(open, 2 * PATIENCE_SECONDS, "the test did not open the gate");
        }
    }

    /** Waits until the thread is held. */
    public void awaitReached() {
        await(reached, PATIENCE_SECONDS, heldThread + " did not come to the gate");
    }

    /** Lets everything pass from now on. */
    public void open() {
        open.countDown();
    }

    private static void await(CountDownLatch latch, int seconds, String otherwise) {
        try {
            if (!latch.await(seconds, TimeUnit.SECONDS)) {
                throw new AssertionError(otherwise);
            }
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
