package io.tallystick.store.journal.io;

import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.NanoClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Measures one small durable write in one of the {@linkplain LogIo ways}: the median of each round's writes. */
final class WriteTrial implements AutoCloseable {
    /** The size of the file. */
    static final int FILE_BYTES = 64 * 1024;

    private final LogIo io;
    private final TrialFile file;
    private final List<Long> nanos = new ArrayList<>();

    /** Makes the file, and writes to it once. */
    WriteTrial(LogIo io, Path directory) throws IOException {
        this.io = io;
        file = new TrialFile(io, directory.resolve(DiskDevice.PROBE_PREFIX + io.name()), FILE_BYTES);
        try {
            write();
        } catch (IOException | RuntimeException refused) {
            try {
                file.close();
            } catch (IOException alsoFailed) {
                refused.addSuppressed(alsoFailed);
            }
            throw refused;
        }
    }

    LogIo io() {
        return io;
    }

    void round(NanoClock clock, int writes) throws IOException {
        long[] each = new long[writes];
        for (int i = 0; i < writes; i++) {
            long begun = clock.nanoTime();
            write();
            each[i] = clock.nanoTime() - begun;
        }
        Arrays.sort(each);
        nanos.add(each[writes / 2]);
    }

    private void write() throws IOException {
        file.write();
        file.force();
    }

    /** The best round's median, nanoseconds. Other work on the machine makes rounds slower, never quicker. */
    long bestNanos() {
        return nanos.stream().mapToLong(Long::longValue).min().orElseThrow();
    }

    /** The number of rounds in which this way took less than this share of the time of the other way. */
    int roundsBelow(double share, WriteTrial other) {
        int rounds = 0;
        for (int round = 0; round < nanos.size(); round++) {
            if (nanos.get(round) < share * other.nanos.get(round)) {
                rounds++;
            }
        }
        return rounds;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
