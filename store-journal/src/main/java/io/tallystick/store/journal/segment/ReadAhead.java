package io.tallystick.store.journal.segment;

import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Reads the segments that come next while one is decoded. So the operating system has them in memory by then, and
 * recovery takes as long as the slower of the two, not as both together. It also looks where the first batch of each
 * begins: most segments of a young log hold none, and need not be read again.
 *
 * <p>A plain thread reads: the classes of an executor and of its futures cost a new process more.
 */
final class ReadAhead implements AutoCloseable {
    static final int CHUNK_BYTES = 1024 * 1024;

    /** The caller itself reads this much: a thread would take longer to start. */
    static final long CALLER_BYTES = 4L * 1024 * 1024;

    /**
     * About this many bytes are read at a time: all segments but the first one, in a store of the default size. Twice
     * as much should fit into the system's page cache.
     */
    static final long GROUP_BYTES = 128L * 1024 * 1024;

    private final List<Segment> segments;
    // Of each segment: the first block that may begin a batch, and something later once the segment is read.
    private final long[] starts;
    private final ByteBuffer chunk;

    // The segments that are being read, or were read last.
    private int groupStart;
    private int groupEnd;
    private Reading reading;
    private Thread readerOrNull;

    /** Will be asked about these segments, one after the other. */
    ReadAhead(List<Segment> segments) {
        this.segments = segments;
        this.starts = new long[segments.size()];
        long longest = 0;
        for (int i = 0; i < starts.length; i++) {
            SegmentHeader header = segments.get(i).header();
            starts[i] = header.blockBytes();
            longest = Math.max(longest, header.segmentBytes());
        }
        this.chunk =
                ByteBuffer.allocateDirect((int) Math.min(CHUNK_BYTES, longest)).order(SegmentFormat.ORDER);
    }

    /**
     * Where to begin to scan a segment: no batch begins before. That is the end of its file if it holds none. Waits
     * until the segment is read, and has those behind it read meanwhile.
     *
     * @param index of the segment; 0 first, then the one after that, and so on
     * @throws IOException the segment, or one that was read with it, cannot be read
     */
    long startOf(int index) throws IOException {
        if (index == 0) {
            begin(1); // the caller decodes the first one now
        } else if (index == groupStart) {
            await();
            begin(groupEnd);
        }
        return starts[index];
    }

    private void begin(int first) {
        long bytes = 0;
        int end = first;
        while (end < segments.size() && bytes < GROUP_BYTES) {
            bytes += segments.get(end).header().segmentBytes();
            end++;
        }
        groupStart = first;
        groupEnd = end;
        reading = new Reading(segments.subList(first, end), chunk);
        readerOrNull = null;
        if (bytes > CALLER_BYTES) {
            readerOrNull = StoreThread.of(reading, "tallystick-read-ahead");
            readerOrNull.start();
        } else {
            reading.run();
        }
    }

    private void await() throws IOException {
        if (readerOrNull != null) {
            UninterruptedWait.join(readerOrNull);
        }
        reading.check();
        System.arraycopy(reading.starts, 0, starts, groupStart, reading.starts.length);
    }

    /** Ends the reading, so that files can be closed. */
    @Override
    public void close() {
        if (readerOrNull != null) {
            reading.isCancelled = true;
            UninterruptedWait.join(readerOrNull);
        }
    }

    /** Reads some of the segments. What it found, and its failure, are looked at when it has ended. */
    private static final class Reading implements Runnable {
        private final List<Segment> segments;
        private final ByteBuffer chunk;
        private final long[] starts;
        private IOException unreadable;
        private RuntimeException refused;
        private Error error;
        private volatile boolean isCancelled;

        Reading(List<Segment> segments, ByteBuffer chunk) {
            this.segments = segments;
            this.chunk = chunk;
            this.starts = new long[segments.size()];
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < starts.length && !isCancelled; i++) {
                    starts[i] = firstBatch(segments.get(i));
                }
            } catch (IOException failed) {
                unreadable = failed;
            } catch (RuntimeException failed) {
                refused = failed;
            } catch (Error failed) {
                error = failed;
            }
        }

        /** Reads the whole file, also behind the first batch. */
        private long firstBatch(Segment segment) throws IOException {
            SegmentHeader header = segment.header();
            int blockBytes = header.blockBytes();
            // A longer block may be forged. Every other one begins where a chunk begins, or within one.
            boolean isSought = blockBytes <= chunk.capacity();
            long found = isSought ? header.segmentBytes() : blockBytes;
            for (long position = 0; position < header.segmentBytes() && !isCancelled; position += chunk.capacity()) {
                chunk.clear().limit((int) Math.min(chunk.capacity(), header.segmentBytes() - position));
                segment.readFile().readFully(chunk, position);
                if (isSought) {
                    found = firstBatchIn(header, position);
                    isSought = found == header.segmentBytes();
                }
            }
            return found;
        }

        /** The position of the first batch in the chunk that was read from this one on; the file's end if none is. */
        private long firstBatchIn(SegmentHeader header, long position) {
            int blockBytes = header.blockBytes();
            for (int at = position == 0 ? blockBytes : 0; at < chunk.limit(); at += blockBytes) {
                if (SegmentScanner.isOfThisLife(chunk, at, header)) {
                    return position + at;
                }
            }
            return header.segmentBytes();
        }

        void check() throws IOException {
            if (unreadable != null) {
                throw unreadable;
            }
            if (refused != null) {
                throw refused;
            }
            if (error != null) {
                throw error;
            }
        }
    }
}
