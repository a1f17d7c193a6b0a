package io.tallystick.store.journal.engine;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
    private static final int TRIAL_ROUNDS = 6;
    private static final int TRIAL_WRITES = 9;

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
            try (WriteTrial trial = new WriteTrial(io, directory)) {
                trial.round(NanoClock.SYSTEM, 1);
            } catch (IOException refused) {
                checkRoomIsMissing(disk, directory, refused);
            }
            return new Candidate(io, null);
        } catch (IOException | UnsupportedOperationException refused) {
            return new Candidate(null, "a trial write failed (" + refused + ")");
        }
    }

    private static LogIo quickest(List<String> supported, Disk disk, Path directory, NanoClock clock)
            throws IOException {
        List<LogIo> working = new ArrayList<>();
        Map<String, String> remarks = new LinkedHashMap<>();
        for (String name : supported) {
            Candidate candidate = candidate(name, disk, directory);
            remarks.put(name, candidate.reason);
            if (candidate.io != null) {
                working.add(candidate.io);
            }
        }
        Map<String, Long> nanos = trialTimes(working, disk, directory, clock);
        LogIo best = null;
        for (LogIo io : working) {
            Long own = nanos.get(io.name);
            remarks.put(io.name, own == null ? "no room to try it" : own / 1000 + " us a write");
            // A way later in the list must be clearly quicker: the list begins with the simplest.
            if (best == null || own != null && own < 0.8 * nanos.getOrDefault(best.name, Long.MAX_VALUE)) {
                best = io;
            }
        }
        String reasons = remarks.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue())
                .collect(joining("; "));
        if (best == null) {
            throw new StoreIoException(
                    "no way to write durably works in directory=" + directory + " (" + reasons + ")", null);
        }
        return new LogIo(best.name, best.disk, best.mode, best.alignment, "chosen by trial; " + reasons);
    }

    /** What a write takes, nanoseconds, in each way for which there is room to find out. */
    private static Map<String, Long> trialTimes(List<LogIo> ways, Disk disk, Path directory, NanoClock clock)
            throws IOException {
        List<WriteTrial> trials = new ArrayList<>();
        try {
            for (LogIo io : ways) {
                trials.add(new WriteTrial(io, directory));
            }
            for (int round = 0; round < TRIAL_ROUNDS; round++) {
                for (WriteTrial trial : trials) {
                    trial.round(clock, TRIAL_WRITES);
                }
            }
        } catch (IOException refused) {
            checkRoomIsMissing(disk, directory, refused);
            return Map.of();
        } finally {
            for (WriteTrial trial : trials) {
                trial.close();
            }
        }
        return trials.stream().collect(toMap(trial -> trial.io().name, WriteTrial::bestNanos));
    }

    /**
     * Returns if what was refused may have been refused for want of room: that says nothing against a way, and a log that is
     * there must be opened on a full disk, too, so that transactions can finish.
     */
    private static void checkRoomIsMissing(Disk disk, Path directory, IOException refused) throws IOException {
        if (disk.usableSpace(directory) >= 2 * WriteTrial.FILE_BYTES) {
            throw refused;
        }
    }
}
