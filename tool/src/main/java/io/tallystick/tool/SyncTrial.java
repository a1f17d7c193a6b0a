package io.tallystick.tool;

import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.journal.io.TrialFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.HdrHistogram.Histogram;

/**
 * The time that one way to the disk takes for a durable write of one block. The trial writes to a file that loses its
 * name as soon as it is open, so that nothing stays behind.
 *
 * @param io the value of {@code tallystick.journal.io}
 * @param unavailable the reason why the way does not work here; empty if it does
 * @param durable nanoseconds of a write that is durable when it returns, or of a write and a sync
 * @param plain nanoseconds of a write into the page cache; empty if the way does not use it
 */
record SyncTrial(String io, Optional<String> unavailable, Histogram durable, Histogram plain) {
    /** Every way, the simplest first. */
    static final List<String> WAYS = List.of(LogIo.CHANNEL, LogIo.DIRECT, "aio", "uring");

    /** A longer time counts as this one. */
    private static final long HIGHEST_NANOS = 60_000_000_000L;

    private static final int FILE_BYTES = 1024 * 1024;

    /**
     * Tries one way.
     *
     * @param nanos how long to go on trying
     * @throws IOException not even a plain file can be written
     */
    static SyncTrial of(String io, Path directory, long nanos) throws IOException {
        try {
            LogIo.Attempt attempt = LogIo.find(io, new SystemDisk(), directory);
            return attempt.io().isPresent()
                    ? measured(attempt.io().get(), directory, nanos)
                    : unavailable(io, attempt.reason());
        } catch (IOException | UnsupportedOperationException refused) {
            if (io.equals(LogIo.CHANNEL)) {
                throw refused;
            }
            return unavailable(io, "a trial write failed: " + refused.getMessage());
        }
    }

    /** Whether it works here. */
    boolean isAvailable() {
        return unavailable.isEmpty();
    }

    private static SyncTrial unavailable(String io, String why) {
        return new SyncTrial(io, Optional.of(why), histogram(), histogram());
    }

    private static SyncTrial measured(LogIo io, Path directory, long nanos) throws IOException {
        SyncTrial trial = new SyncTrial(io.name(), Optional.empty(), histogram(), histogram());
        Path path = directory.resolve(DiskDevice.PROBE_PREFIX + UUID.randomUUID());
        try (TrialFile file = new TrialFile(io, path, FILE_BYTES)) {
            file.deleteName();
            long end = System.nanoTime() + nanos;
            do {
                long begun = System.nanoTime();
                file.write();
                if (io.needsForce()) {
                    record(trial.plain, begun);
                    file.force();
                }
                record(trial.durable, begun);
            } while (System.nanoTime() - end < 0);
        }
        return trial;
    }

    private static void record(Histogram times, long begun) {
        times.recordValue(Math.min(HIGHEST_NANOS, System.nanoTime() - begun));
    }

    private static Histogram histogram() {
        return new Histogram(HIGHEST_NANOS, 3);
    }
}
