package io.tallystick.store.journal.engine;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * How long one small durable write takes in one of the {@linkplain LogIo ways}, onto blocks that were written before: the
 * median of some writes, of several rounds the best. Something else on the machine makes rounds slower, never quicker, so ways
 * whose rounds take turns can be compared although none of them is alone.
 */
final class WriteTrial implements AutoCloseable {
    /** What the file takes. */
    static final int FILE_BYTES = 64 * 1024;

    private final LogIo io;
    private final Path path;
    private final int block;
    private final ByteBuffer zeros;
    private final DiskFile file;
    private long bestNanos = Long.MAX_VALUE;

    /** Makes the file. */
    WriteTrial(LogIo io, Path directory) throws IOException {
        this.io = io;
        path = directory.resolve(DiskDevice.PROBE_PREFIX + io.name());
        block = Math.max(io.alignment(), 4096);
        zeros = ByteBuffer.allocateDirect(FILE_BYTES + block).alignedSlice(block);
        deleteIfThere();
        DiskFile opened = null;
        try {
            try (DiskFile made = io.disk().open(path, OpenMode.CREATE_NEW)) {
                made.writeFully(zeros.clear().limit(FILE_BYTES), 0);
                made.force();
            }
            opened = io.disk().open(path, io.mode());
        } finally {
            if (opened == null) {
                deleteIfThere();
            }
        }
        file = opened;
    }

    LogIo io() {
        return io;
    }

    void round(NanoClock clock, int writes) throws IOException {
        long[] nanos = new long[writes];
        for (int i = 0; i < writes; i++) {
            long begun = clock.nanoTime();
            file.writeFully(zeros.clear().limit(block), (long) i * block % FILE_BYTES);
            if (io.needsForce()) {
                file.force();
            }
            nanos[i] = clock.nanoTime() - begun;
        }
        Arrays.sort(nanos);
        bestNanos = Math.min(bestNanos, nanos[writes / 2]);
    }

    /** The best round's median, nanoseconds. */
    long bestNanos() {
        return bestNanos;
    }

    @Override
    public void close() throws IOException {
        try {
            file.close();
        } finally {
            deleteIfThere();
        }
    }

    private void deleteIfThere() throws IOException {
        Disk disk = io.disk();
        try {
            disk.delete(path);
        } catch (NoSuchFileException usual) {
            // nothing to delete
        }
    }
}
