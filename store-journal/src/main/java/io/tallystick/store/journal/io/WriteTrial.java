package io.tallystick.store.journal.io;

import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.NanoClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Measures one small durable write in one of the {@linkplain LogIo ways}: the median of a round's writes, and the best
 * of several rounds. Other work on the machine makes rounds slower, never quicker. So ways whose rounds take turns can
 * be compared on a busy machine.
 */
final class WriteTrial implements AutoCloseable {
    /** The size of the file. */
    static final int FILE_BYTES = 64 * 1024;

    private final LogIo io;
    private final TrialFile file;
    private long bestNanos = Long.MAX_VALUE;

    /** Makes the file. */
    WriteTrial(LogIo io, Path directory) throws IOException {
        this.io = io;
        file = new TrialFile(io, directory.resolve(DiskDevice.PROBE_PREFIX + io.name()), FILE_BYTES);
    }

    LogIo io() {
        return io;
    }

    void round(NanoClock clock, int writes) throws IOException {
        long[] nanos = new long[writes];
        for (int i = 0; i < writes; i++) {
            long begun = clock.nanoTime();
            file.write();
            file.force();
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
        file.close();
    }
}
