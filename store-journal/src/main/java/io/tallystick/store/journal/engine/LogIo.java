package io.tallystick.store.journal.engine;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a log's bytes reach the disk: which system calls, found to work in the directory.
 *
 * @param name the value of {@code tallystick.journal.io}: {@code channel}, {@code direct}, {@code aio}, {@code uring}
 * @param disk the disk to open files on
 * @param mode how to open a file for durable writes; with {@link OpenMode#READ_WRITE} each needs a force
 * @param alignment what positions and lengths of durable writes must be multiples of, bytes
 * @param remark why this and nothing better, for people to read
 */
public record LogIo(String name, Disk disk, OpenMode mode, int alignment, String remark) {
    /** Any way that works, the quickest first. */
    public static final String AUTO = "auto";
    /** {@code write} and {@code fdatasync}. */
    public static final String CHANNEL = "channel";
    /** {@code O_DIRECT | O_DSYNC}. */
    public static final String DIRECT = "direct";

    private static final String NO_DEVICE = "the artifact tallystick-native is not on the class path";
    private static final int PROBE_BYTES = 256 * 1024;
    private static final int PROBE_WRITES = 24;
    private static final String PROBE_FILE = "tallystick.probe";

    /** Whether each write needs a force to be durable. */
    public boolean needsForce() {
        return mode == OpenMode.READ_WRITE;
    }

    /**
     * Returns if the way that was asked for may be one for this engine, before anything is made for it.
     *
     * @throws IllegalArgumentException it is not for this engine
     * @throws StoreIoException what it needs is not there, whatever the directory
     */
    public static void checkKnown(String wanted, List<String> supported) {
        if (wanted.equals(AUTO)) {
            return;
        }
        if (!supported.contains(wanted)) {
            throw new IllegalArgumentException("tallystick.journal.io=" + wanted
                    + " is not for this engine; it takes: auto, " + String.join(", ", supported));
        }
        Optional<String> missing = needsDevice(wanted)
                ? DiskDevice.named(wanted)
                        .map(DiskDevice::unavailableAnywhereBecause)
                        .orElse(Optional.of(NO_DEVICE))
                : Optional.empty();
        if (missing.isPresent()) {
            throw new StoreIoException(
                    "tallystick.journal.io=" + wanted + " does not work: " + missing.get()
                            + "; mend that, or configure tallystick.journal.io=auto",
                    null);
        }
    }

    private static boolean needsDevice(String name) {
        return !name.equals(CHANNEL) && !name.equals(DIRECT);
    }

    /**
     * The way that was asked for, or the quickest that works here.
     *
     * @param wanted a value of {@code tallystick.journal.io} that {@link #checkKnown} has passed
     * @param supported what the engine can use
     * @throws StoreIoException the way that was asked for by name does not work, with the reason
     */
    public static LogIo choose(String wanted, List<String> supported, Disk disk, Path directory, NanoClock clock)
            throws IOException {
        deleteProbesOfTheDead(disk, directory);
        if (!wanted.equals(AUTO)) {
            Candidate candidate = candidate(wanted, disk, directory);
            if (candidate.io == null) {
                throw new StoreIoException(
                        "tallystick.journal.io=" + wanted + " does not work in directory=" + directory + ": "
                                + candidate.reason + "; mend that, or configure tallystick.journal.io=auto",
                        null);
            }
            return candidate.io;
        }
        return quickest(supported, disk, directory, clock);
    }

    /** The directory is ours by now: whoever left a probe there died while opening. */
    private static void deleteProbesOfTheDead(Disk disk, Path directory) throws IOException {
        for (Path file : disk.list(directory)) {
            if (file.getFileName().toString().startsWith(DiskDevice.PROBE_PREFIX)) {
                disk.delete(file);
            }
        }
    }

    private record Candidate(LogIo io, String reason) {}

    private static Candidate candidate(String name, Disk disk, Path directory) throws IOException {
        if (name.equals(CHANNEL)) {
            return new Candidate(new LogIo(name, disk, OpenMode.READ_WRITE, 1, ""), null);
        }
        Disk over = disk;
        if (needsDevice(name)) {
            Optional<DiskDevice> device = DiskDevice.named(name);
            if (device.isEmpty()) {
                return new Candidate(null, NO_DEVICE);
            }
            Optional<String> reason = device.get().unavailableBecause(directory);
            if (reason.isPresent()) {
                return new Candidate(null, reason.get());
            }
            over = device.get().over(disk);
        }
        try {
            LogIo io = new LogIo(name, over, OpenMode.DIRECT_SYNC, over.directAlignment(directory), "");
            io.tryTimeOf(directory, NanoClock.SYSTEM, 1);
            return new Candidate(io, null);
        } catch (IOException | UnsupportedOperationException refused) {
            return new Candidate(null, "a trial write failed (" + refused + ")");
        }
    }

    private static LogIo quickest(List<String> supported, Disk disk, Path directory, NanoClock clock)
            throws IOException {
        LogIo best = null;
        long bestNanos = Long.MAX_VALUE;
        List<String> remarks = new ArrayList<>();
        for (String name : supported) {
            Candidate candidate = candidate(name, disk, directory);
            if (candidate.io == null) {
                remarks.add(name + ": " + candidate.reason);
                continue;
            }
            OptionalLong measured = candidate.io.tryTimeOf(directory, clock, PROBE_WRITES);
            long nanos = measured.orElse(Long.MAX_VALUE / 2);
            remarks.add(name + ": " + (measured.isPresent() ? nanos / 1000 + " us a write" : "no room to try it"));
            // A way later in the list must be clearly quicker: the list begins with the simplest.
            if (best == null || nanos < bestNanos - bestNanos / 10) {
                best = candidate.io;
                bestNanos = nanos;
            }
        }
        if (best == null) {
            throw new StoreIoException(
                    "no way to write durably works in directory=" + directory + " (" + String.join("; ", remarks) + ")",
                    null);
        }
        return new LogIo(
                best.name, best.disk, best.mode, best.alignment, "chosen by trial; " + String.join("; ", remarks));
    }

    /**
     * As {@link #timeOf}, or empty if there is no room to find out: that says nothing against the way, and a log that is
     * there must be opened on a full disk, too, so that transactions can finish.
     */
    private OptionalLong tryTimeOf(Path directory, NanoClock clock, int writes) throws IOException {
        try {
            return OptionalLong.of(timeOf(directory, clock, writes));
        } catch (IOException refused) {
            if (disk.usableSpace(directory) >= 2 * PROBE_BYTES) {
                throw refused;
            }
            return OptionalLong.empty();
        }
    }

    /** Median time of one small durable write onto blocks that were written before, nanoseconds. */
    private long timeOf(Path directory, NanoClock clock, int writes) throws IOException {
        Path probe = directory.resolve(PROBE_FILE);
        deleteIfThere(probe);
        int block = Math.max(alignment, 4096);
        ByteBuffer zeros = ByteBuffer.allocateDirect(PROBE_BYTES + block).alignedSlice(block);
        try {
            try (DiskFile file = disk.open(probe, OpenMode.CREATE_NEW)) {
                file.writeFully(zeros.clear().limit(PROBE_BYTES), 0);
                file.force();
            }
            long[] nanos = new long[writes];
            try (DiskFile file = disk.open(probe, mode)) {
                for (int i = 0; i < writes; i++) {
                    long begun = clock.nanoTime();
                    file.writeFully(zeros.clear().limit(block), (long) i * block % PROBE_BYTES);
                    if (needsForce()) {
                        file.force();
                    }
                    nanos[i] = clock.nanoTime() - begun;
                }
            }
            Arrays.sort(nanos);
            return nanos[writes / 2];
        } finally {
            deleteIfThere(probe);
        }
    }

    private void deleteIfThere(Path file) throws IOException {
        try {
            disk.delete(file);
        } catch (NoSuchFileException usual) {
            // nothing to delete
        }
    }
}
