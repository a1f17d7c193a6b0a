package io.tallystick.store.file;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The store's own threads, for writes whose callers do not wait. There are none before the first such write. */
final class AsyncWriters {
    // So many writes wait for the disk at once; with more, rounds would be larger and no more frequent.
    private static final int THREADS = 16;
    private static final long KEEP_IDLE_SECONDS = 10;

    private final AtomicInteger numbers = new AtomicInteger();
    private final ThreadPoolExecutor executor;

    AsyncWriters() {
        executor = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                KEEP_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> new Writer(this, task));
        executor.allowCoreThreadTimeOut(true);
    }

    void execute(Runnable write) {
        executor.execute(write);
    }

    /** Runs what was given, ends the threads and waits for their end, unless this is called by one of them. */
    void close() {
        executor.shutdown();
        if (Thread.currentThread() instanceof Writer writer && writer.owner == this) {
            return;
        }
        boolean interrupted = false;
        while (!executor.isTerminated()) {
            try {
                executor.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Writer extends Thread {
        private final AsyncWriters owner;

        Writer(AsyncWriters owner, Runnable task) {
            super(task, "tallystick-file-async-" + owner.numbers.incrementAndGet());
            this.owner = owner;
            setDaemon(true);
        }
    }
}
