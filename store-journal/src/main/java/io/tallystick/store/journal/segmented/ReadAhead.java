package io.tallystick.store.journal.segmented;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reads segments into the page cache, a little ahead of whoever scans them: the disk works while records are decoded. It
 * forgets what it reads, and what it cannot read the scan meets again and tells. One thread scans.
 */
final class ReadAhead implements AutoCloseable {
    /** How far it runs ahead; less than that is not worth a thread. */
    static final long DISTANCE_BYTES = 32L * 1024 * 1024;

    private static final int CHUNK_BYTES = 1024 * 1024;

    private final List<Segment> segments;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    // Guarded by the lock.
    private long scanned;
    private boolean closed;

    // By the scanning thread.
    private long scannedBefore;
    private long lastTold;

    private ReadAhead(List<Segment> segments) {
        this.segments = segments;
        this.thread = new Thread(this::run, "tallystick-journal-read-ahead");
        thread.setDaemon(true);
    }

    /** Begins to read the segments, in this order. */
    static ReadAhead of(List<Segment> segments) {
        ReadAhead ahead = new ReadAhead(List.copyOf(segments));
        long bytes = segments.stream()
                .mapToLong(segment -> segment.header().segmentBytes())
                .sum();
        if (bytes > DISTANCE_BYTES) {
            ahead.thread.start();
        }
        return ahead;
    }

    /** The scan has come to this position of the segment that it is in. */
    void scannedTo(long position) {
        if (scannedBefore + position - lastTold >= CHUNK_BYTES) {
            tell(scannedBefore + position);
        }
    }

    /** The scan goes on to the next segment. */
    void scanned(Segment segment) {
        scannedBefore += segment.header().segmentBytes();
        tell(scannedBefore);
    }

    private void tell(long now) {
        lastTold = now;
        lock.lock();
        try {
            scanned = now;
            moved.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        long before = 0;
        try {
            for (Segment segment : segments) {
                long bytes = segment.header().segmentBytes();
                for (long position = 0; position < bytes; position += CHUNK_BYTES) {
                    if (!awaitTurn(before + position)) {
                        return;
                    }
                    segment.readFile().read(chunk.clear(), position);
                }
                before += bytes;
            }
        } catch (IOException unreadable) {
            // the scan will say so
        }
    }

    private boolean awaitTurn(long position) {
        lock.lock();
        try {
            while (!closed && position - scanned > DISTANCE_BYTES) {
                moved.awaitUninterruptibly();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Ends it, whether there is more to read or not. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            moved.signal();
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
