package io.tallystick.store.journal.io;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.Shortage;
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
 * @param alignment positions and lengths of durable writes must be multiples of this, bytes
 * @param trial the outcome of a trial, for people to read
 */
public record LogIo(String name, Disk disk, OpenMode mode, int alignment, Trial trial) {
    /** Any way that works, the quickest first. */
    public static final String AUTO = "auto";
    /** {@code write} and {@code fdatasync}. */
    public static final String CHANNEL = "channel";
    /** {@code O_DIRECT | O_DSYNC}. */
    public static final String DIRECT = "direct";

    private static final String NO_DEVICE = "the artifact tallystick-native is not on the class path";
    private static final int TRIAL_ROUNDS = 6;
    private static final int TRIAL_WRITES = 9;

    /**
     * The outcome of the trial of a way, for people to read.
     *
     * @param remark how long a write took; empty where there was no trial
     * @param details why this way and none better; empty where the way was asked for
     */
    public record Trial(String remark, String details) {
        /** No way was tried. */
        public static final Trial NONE = new Trial("", "");
    }

    /** Whether each write needs a force to be durable. */
    public boolean needsForce() {
        return mode == OpenMode.READ_WRITE;
    }

    /**
     * Checks that the requested way is one for this engine, before anything is made for it.
     *
     * @throws IllegalArgumentException it is not for this engine
     * @throws StoreIoException it cannot work in any directory, with the reason
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
        deleteLeftoverProbes(disk, directory);
        if (!wanted.equals(AUTO)) {
            Attempt attempt = tried(wanted, disk, directory);
            return attempt.io()
                    .orElseThrow(() -> new StoreIoException(
                            "tallystick.journal.io=" + wanted + " does not work in directory=" + directory + ": "
                                    + attempt.reason() + "; mend that, or configure tallystick.journal.io=auto",
                            null));
        }
        return quickest(supported, disk, directory, clock);
    }

    /** Deletes probes. The directory is ours by now: a process that left a probe there died while opening. */
    private static void deleteLeftoverProbes(Disk disk, Path directory) throws IOException {
        for (Path file : disk.list(directory)) {
            if (file.getFileName().toString().startsWith(DiskDevice.PROBE_PREFIX)) {
                disk.delete(file);
            }
        }
    }

    /**
     * One way to the disk in a directory.
     *
     * @param io the way; empty if it does not work there
     * @param reason why it does not work; empty if it works
     */
    public record Attempt(Optional<LogIo> io, String reason) {
        private static Attempt refused(String reason) {
            return new Attempt(Optional.empty(), reason);
        }
    }

    /**
     * Finds one way to the disk, without a trial write.
     *
     * @param name a value of {@code tallystick.journal.io}, but not {@link #AUTO}
     * @throws IOException the directory cannot be asked for the alignment of its blocks
     * @throws UnsupportedOperationException the platform has no such way
     */
    public static Attempt find(String name, Disk disk, Path directory) throws IOException {
        if (name.equals(CHANNEL)) {
            return new Attempt(Optional.of(new LogIo(name, disk, OpenMode.READ_WRITE, 1, Trial.NONE)), "");
        }
        Disk over = disk;
        if (needsDevice(name)) {
            Optional<DiskDevice> device = DiskDevice.named(name);
            if (device.isEmpty()) {
                return Attempt.refused(NO_DEVICE);
            }
            Optional<String> reason = device.get().unavailableBecause(directory);
            if (reason.isPresent()) {
                return Attempt.refused(reason.get());
            }
            over = device.get().over(disk);
        }
        LogIo io = new LogIo(name, over, OpenMode.DIRECT_SYNC, over.directAlignment(directory), Trial.NONE);
        return new Attempt(Optional.of(io), "");
    }

    /**
     * Finds one way to the disk, and tries it by a durable write if it is not {@link #CHANNEL}. The directory belongs
     * to the caller alone. A full disk says nothing against a way.
     *
     * @param name a value of {@code tallystick.journal.io}, but not {@link #AUTO}
     */
    public static Attempt tried(String name, Disk disk, Path directory) {
        try {
            Attempt found = find(name, disk, directory);
            if (found.io().isPresent() && !name.equals(CHANNEL)) {
                tryToWrite(found.io().get(), disk, directory);
            }
            return found;
        } catch (IOException | UnsupportedOperationException refused) {
            return Attempt.refused("a trial write failed (" + refused + ")");
        }
    }

    private static void tryToWrite(LogIo io, Disk disk, Path directory) throws IOException {
        try (WriteTrial trial = new WriteTrial(io, directory)) {
            trial.round(NanoClock.SYSTEM, 1);
        } catch (IOException refused) {
            checkRoomIsMissing(disk, directory, refused);
        }
    }

    private static LogIo quickest(List<String> supported, Disk disk, Path directory, NanoClock clock)
            throws IOException {
        List<LogIo> working = new ArrayList<>();
        Map<String, String> remarks = new LinkedHashMap<>();
        for (String name : supported) {
            Optional<String> onlyByName = DiskDevice.named(name).flatMap(DiskDevice::onlyByNameBecause);
            Attempt attempt = onlyByName.isPresent() ? Attempt.refused(onlyByName.get()) : tried(name, disk, directory);
            remarks.put(name, attempt.reason());
            attempt.io().ifPresent(working::add);
        }
        Map<String, Long> nanos = trialTimes(working, disk, directory, clock);
        LogIo best = null;
        for (LogIo io : working) {
            Long own = nanos.get(io.name);
            remarks.put(io.name, own == null ? "no room to try it" : own / 1000 + " us a write");
            // The list begins with the simplest way, so a later way must be clearly quicker.
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
        Trial trial = new Trial(remarks.get(best.name), reasons);
        return new LogIo(best.name, best.disk, best.mode, best.alignment, trial);
    }

    /** The time of a write in each way, nanoseconds; empty if there is no room to find out. */
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
     * Checks that a refusal may be a lack of room or a used-up quota. That says nothing against a way. A log that is
     * there must be opened on a full disk too, so that transactions can finish.
     *
     * @throws IOException the refusal, if it has another reason
     */
    private static void checkRoomIsMissing(Disk disk, Path directory, IOException refused) throws IOException {
        if (!Shortage.isShortageOfRoom(refused) && disk.usableSpace(directory) >= 2 * WriteTrial.FILE_BYTES) {
            throw refused;
        }
    }
}
