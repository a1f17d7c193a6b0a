package io.tallystick.store.file;

import io.tallystick.storage.GuardedBy;
import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The store's own threads, for writes whose callers do not wait. There are none before the first such write.
 *
 * <p>Each such write has a copy of its state in memory until it is over, and callers may be quicker than the disk. So a
 * write takes a place first. There are {@value #PLACES} places, with room for {@value #PLACE_BYTES} bytes together. A
 * caller waits until there is one. The threads here give places back and never take one, so a caller waits for the disk
 * and for nothing else.
 */
final class AsyncWriters {
    /** How many writes may be on their way. */
    static final int PLACES = 1024;
    /** The most bytes of their states, unless a single write has more. */
    static final long PLACE_BYTES = 16L * 1024 * 1024;

    // With more threads rounds would be larger and no more frequent.
    private static final int THREADS = 16;
    private static final long KEEP_IDLE_SECONDS = 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition placeIsFree = lock.newCondition();

    @GuardedBy("lock") private int taken;

    @GuardedBy("lock") private long takenBytes;

    private final AtomicInteger numbers = new AtomicInteger();
    private final Set<Writer> writers = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor executor;

    AsyncWriters() {
        executor = new ThreadPoolExecutor(
                THREADS, THREADS, KEEP_IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::newWriter);
        executor.allowCoreThreadTimeOut(true);
    }

    private Writer newWriter(Runnable task) {
        Writer writer = StoreThread.made(making -> new Writer(making, this, task));
        writers.removeIf(before -> before.hasRun && !before.isAlive());
        writers.add(writer);
        return writer;
    }

    /**
     * Takes a place for a write with this many bytes of state; waits until there is one. An interrupt does not end the
     * wait. {@link #giveBack} must follow.
     */
    void takePlace(int bytes) {
        lock.lock();
        try {
            while (!hasPlaceFor(bytes)) {
                placeIsFree.awaitUninterruptibly();
            }
            taken++;
            takenBytes += bytes;
            // One is woken at a time, and wakes the next if there is room for more.
            placeIsFree.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Gives the place of a write back. Never waits. */
    void giveBack(int bytes) {
        lock.lock();
        try {
            taken--;
            takenBytes -= bytes;
            placeIsFree.signal();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock") private boolean hasPlaceFor(int bytes) {
        return taken == 0 || taken < PLACES && takenBytes + bytes <= PLACE_BYTES;
    }

    void execute(Runnable write) {
        executor.execute(write);
    }

    /** Carries out all writes, ends the threads, and waits for their end unless one of them calls this. */
    void close() {
        executor.shutdown();
        if (Thread.currentThread() instanceof Writer writer && writer.owner == this) {
            return;
        }
        UninterruptedWait.through(() -> executor.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
        for (Writer writer : writers) { // an executor may be terminated while its last threads still exist
            UninterruptedWait.join(writer);
        }
    }

    private static final class Writer extends StoreThread {
        private final AsyncWriters owner;
        private final Runnable task;
        private volatile boolean hasRun;

        Writer(Making making, AsyncWriters owner, Runnable task) {
            super(making, "tallystick-file-async-" + owner.numbers.incrementAndGet());
            this.owner = owner;
            this.task = task;
        }

        @Override
        public void run() {
            hasRun = true;
            task.run();
        }
    }
}
