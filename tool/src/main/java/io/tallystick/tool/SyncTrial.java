package io.tallystick.tool;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.HdrHistogram.Histogram;

/**
 * How long one way to the disk takes for a durable write of one block, tried in a directory on a file that loses its name as soon as it
 * is open, so that nothing stays behind.
 *
 * @param io the value of {@code tallystick.journal.io}
 * @param unavailable why it does not work here; empty if it does
 * @param durable nanoseconds of a write that is durable when it returns, or of a write and a sync
 * @param plain nanoseconds of a write into the page cache; empty where the way has none
 */
record SyncTrial(String io, Optional<String> unavailable, Histogram durable, Histogram plain) {
    /** Every way, the simplest first. */
    static final List<String> WAYS = List.of("channel", "direct", "aio", "uring");

    /** Slower than this is not told from slower. */
    private static final long HIGHEST_NANOS = 60_000_000_000L;

    private static final int FILE_BYTES = 1024 * 1024;
    private static final int BLOCK_BYTES = 4096;

    /**
     * Tries one way.
     *
     * @param nanos how long to go on trying
     */
    static SyncTrial of(String io, Path directory, long nanos) throws IOException {
        Disk disk = new SystemDisk();
        boolean isChannel = io.equals("channel");
        if (!isChannel && !io.equals("direct")) {
            Optional<DiskDevice> device = DiskDevice.named(io);
            Optional<String> unavailable = device.isEmpty()
                    ? Optional.of("the artifact tallystick-native is missing")
                    : device.get().unavailableBecause(directory);
            if (unavailable.isPresent()) {
                return unavailable(io, unavailable.get());
            }
            disk = device.get().over(disk);
        }
        try {
            return measured(io, disk, directory, isChannel ? OpenMode.READ_WRITE : OpenMode.DIRECT_SYNC, nanos);
        } catch (IOException | UnsupportedOperationException refused) {
            if (isChannel) {
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

    private static SyncTrial measured(String io, Disk disk, Path directory, OpenMode mode, long nanos)
            throws IOException {
        int block = mode == OpenMode.DIRECT_SYNC ? Math.max(BLOCK_BYTES, disk.directAlignment(directory)) : BLOCK_BYTES;
        ByteBuffer bytes = ByteBuffer.allocateDirect(FILE_BYTES + block).alignedSlice(block);
        SyncTrial trial = new SyncTrial(io, Optional.empty(), histogram(), histogram());
        try (DiskFile file = nameless(disk, directory, mode, bytes)) {
            long end = System.nanoTime() + nanos;
            long position = 0;
            do {
                long begun = System.nanoTime();
                file.writeFully(bytes.clear().limit(block), position);
                if (mode == OpenMode.READ_WRITE) {
                    trial.plain.recordValue(Math.min(HIGHEST_NANOS, System.nanoTime() - begun));
                    file.force();
                }
                trial.durable.recordValue(Math.min(HIGHEST_NANOS, System.nanoTime() - begun));
                position = (position + block) % (FILE_BYTES - FILE_BYTES % block);
            } while (System.nanoTime() - end < 0);
        }
        return trial;
    }

    /** A file whose blocks are written, so that a later write changes neither size nor allocation. */
    private static DiskFile nameless(Disk disk, Path directory, OpenMode mode, ByteBuffer zeros) throws IOException {
        Path path = directory.resolve(DiskDevice.PROBE_PREFIX + UUID.randomUUID());
        try {
            try (DiskFile created = disk.open(path, OpenMode.CREATE_NEW)) {
                created.writeFully(zeros.clear().limit(FILE_BYTES), 0);
                created.force();
            }
            return disk.open(path, mode);
        } finally {
            try {
                disk.delete(path);
            } catch (NoSuchFileException notMade) {
                // the first line of the try failed
            }
        }
    }

    private static Histogram histogram() {
        return new Histogram(HIGHEST_NANOS, 3);
    }
}
