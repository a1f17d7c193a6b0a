package io.tallystick.store.journal.segmented;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ReadAheadTest {
    private static final long SEGMENT_BYTES = ReadAhead.DISTANCE_BYTES + 8 * 1024 * 1024;
    private static final long LAST_CHUNK = 1024 * 1024;

    private final AtomicLong scanned = new AtomicLong();
    private final AtomicBoolean tooFar = new AtomicBoolean();

    @Test
    void readsAsFarAheadAsItMayAndNotFurther() throws InterruptedException {
        EndlessFile first = new EndlessFile(0, ReadAhead.DISTANCE_BYTES);
        EndlessFile second = new EndlessFile(SEGMENT_BYTES, SEGMENT_BYTES - LAST_CHUNK);
        List<Segment> segments = List.of(segment(1, first), segment(2, second));
        try (ReadAhead ahead = ReadAhead.of(segments)) {
            assertThat(first.wanted.await(20, TimeUnit.SECONDS)).isTrue();
            for (long position = 0; position < SEGMENT_BYTES; position += 100_000) {
                scanned.set(position);
                ahead.scannedTo(position);
            }
            scanned.set(SEGMENT_BYTES);
            ahead.scanned(segments.get(0));
            scanned.set(SEGMENT_BYTES + SEGMENT_BYTES / 2);
            ahead.scannedTo(SEGMENT_BYTES / 2);
            assertThat(second.wanted.await(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(tooFar).as("more than the distance ahead").isFalse();
    }

    @Test
    void endsWhenItIsClosedWhileItWaits() throws InterruptedException {
        EndlessFile file = new EndlessFile(0, ReadAhead.DISTANCE_BYTES);
        try (ReadAhead ahead = ReadAhead.of(List.of(segment(1, file)))) {
            assertThat(file.wanted.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(ahead).isNotNull();
        }
    }

    @Test
    void doesNotReadWhatIsSmall() {
        EndlessFile file = new EndlessFile(0, 0);
        Segment small =
                new Segment(Path.of("/small"), new SegmentHeader(1, 1, 64 * 1024, 4096, 0, 1, 1, 0, 0), file, file);
        ReadAhead.of(List.of(small)).close();
        assertThat(file.wanted.getCount()).isEqualTo(1);
    }

    @Test
    void leavesWhatCannotBeReadToTheScan() {
        EndlessFile broken = new EndlessFile(0, 0) {
            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                super.read(target, position);
                throw new IOException("Input/output error");
            }
        };
        ReadAhead.of(List.of(segment(1, broken))).close();
        assertThat(tooFar).isFalse();
    }

    private static Segment segment(long id, DiskFile file) {
        return new Segment(
                Path.of("/segment"), new SegmentHeader(id, 1, SEGMENT_BYTES, 4096, id - 1, 1, 1, 0, 0), file, file);
    }

    /** Says when a position was read, and sees whether that was too early. */
    private class EndlessFile implements DiskFile {
        private final long before;
        private final long wantedPosition;
        private final CountDownLatch wanted = new CountDownLatch(1);

        EndlessFile(long before, long wantedPosition) {
            this.before = before;
            this.wantedPosition = wantedPosition;
        }

        @Override
        public Path path() {
            return Path.of("/segment");
        }

        @Override
        public long size() {
            return SEGMENT_BYTES;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            if (before + position - scanned.get() > ReadAhead.DISTANCE_BYTES) {
                tooFar.set(true);
            }
            if (position == wantedPosition) {
                wanted.countDown();
            }
            return target.remaining();
        }

        @Override
        public int write(ByteBuffer source, long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            // nothing to give back
        }
    }
}
