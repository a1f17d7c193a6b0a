package io.tallystick.store.log.commit;

import io.tallystick.store.log.spi.RecordHome;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A log in memory whose writes can be held up and made to fail. */
final class MemoryLog implements RecordLog, RecordHome {
    private final int inFlight;
    private final int batchAppends;
    private final List<MemoryBatch> laidOut = new ArrayList<>();
    private final List<MemoryBatch> written = new ArrayList<>();
    private final AtomicInteger writing = new AtomicInteger();
    private final AtomicInteger mostWriting = new AtomicInteger();
    private long durableSequence;

    private volatile Interceptor interceptor = batch -> {};
    private volatile Runnable whenDurable = () -> {};

    /** What happens in a write before it counts as done. */
    interface Interceptor {
        void write(MemoryBatch batch) throws IOException;
    }

    static final class MemoryBatch extends Batch {
        private final Thread writer;

        MemoryBatch(long sequence, Version first, int count, Version rest) {
            super(sequence, first, count, count, rest);
            this.writer = Thread.currentThread();
        }

        Thread writer() {
            return writer;
        }
    }

    MemoryLog(int inFlight, int batchAppends) {
        this.inFlight = inFlight;
        this.batchAppends = batchAppends;
    }

    void intercept(Interceptor newInterceptor) {
        interceptor = newInterceptor;
    }

    /** What happens when a batch is counted. */
    void whenDurable(Runnable action) {
        whenDurable = action;
    }

    synchronized List<Integer> sizesWritten() {
        return written.stream().map(Batch::count).toList();
    }

    synchronized List<Integer> sizesLaidOut() {
        return laidOut.stream().map(Batch::count).toList();
    }

    synchronized MemoryBatch written(int index) {
        return written.get(index);
    }

    synchronized long durableSequence() {
        return durableSequence;
    }

    int mostWriting() {
        return mostWriting.get();
    }

    @Override
    public int writesInFlight() {
        return inFlight;
    }

    @Override
    public void reserve(Version append) {
        // memory is large
    }

    @Override
    public void refund(Version append) {
        // memory is large
    }

    @Override
    public synchronized Batch layOut(Version first) {
        int count = 0;
        Version append = first;
        while (append != null && count < batchAppends) {
            append.place(this, laidOut.size());
            count++;
            append = append.next();
        }
        MemoryBatch batch = new MemoryBatch(laidOut.size() + 1L, first, count, append);
        laidOut.add(batch);
        return batch;
    }

    @Override
    public void write(Batch batch) throws IOException {
        mostWriting.accumulateAndGet(writing.incrementAndGet(), Math::max);
        try {
            interceptor.write((MemoryBatch) batch);
            synchronized (this) {
                written.add((MemoryBatch) batch);
            }
        } finally {
            writing.decrementAndGet();
        }
    }

    @Override
    public void durable(Batch batch, long newDurableSequence) {
        synchronized (this) {
            durableSequence = newDurableSequence;
        }
        whenDurable.run();
    }

    @Override
    public StateImage read(Version version) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        // memory goes by itself
    }

    /** Holds writes up until it is opened. */
    static final class Gate implements Interceptor {
        private final CountDownLatch reached;
        private final CountDownLatch open = new CountDownLatch(1);

        Gate(int writes) {
            reached = new CountDownLatch(writes);
        }

        @Override
        public void write(MemoryBatch batch) {
            reached.countDown();
            UninterruptedWait.through(open::await);
        }

        /** Returns when that many writes are held up. */
        void awaitReached() {
            UninterruptedWait.through(reached::await);
        }

        void open() {
            open.countDown();
        }
    }
}
