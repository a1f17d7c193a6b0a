package io.tallystick.store.journal.io;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.Shortage;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.text.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    /** A way that a trial has chosen: see {@link IoChoice}. */
    public static final String AUTO = "auto";
    /** {@code write} and {@code fdatasync}. */
    public static final String CHANNEL = "channel";
    /** {@code O_DIRECT | O_DSYNC}. */
    public static final String DIRECT = "direct";

    private static final String NO_DEVICE = "the artifact tallystick-native is not on the class path";

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
            List<String> values = new ArrayList<>(supported);
            values.add(0, AUTO);
            throw new IllegalArgumentException("tallystick.journal.io=" + Printable.of(wanted)
                    + " is not for this engine; it takes: " + String.join(", ", values));
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

    /** Whether the way is a native device. */
    static boolean needsDevice(String name) {
        return !name.equals(CHANNEL) && !name.equals(DIRECT);
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
     * Finds one way to the disk. A native device writes a file of its own to find out whether it works there.
     *
     * @param name a value of {@code tallystick.journal.io}, but not {@link #AUTO}
     * @throws IOException the directory cannot be asked for the alignment of its blocks
     * @throws UnsupportedOperationException the platform has no such way
     */
    public static Attempt find(String name, Disk disk, Path directory) throws IOException {
        if (needsDevice(name)) {
            Optional<DiskDevice> device = DiskDevice.named(name);
            Optional<String> reason =
                    device.isEmpty() ? Optional.of(NO_DEVICE) : device.get().unavailableBecause(directory);
            if (reason.isPresent()) {
                return Attempt.refused(reason.get());
            }
        }
        return new Attempt(Optional.of(unproven(name, disk, directory)), "");
    }

    /**
     * One way to the disk that has worked in the directory before. Writes nothing.
     *
     * @throws IOException the way cannot be used now
     * @throws UnsupportedOperationException the platform has no such way
     */
    static LogIo unproven(String name, Disk disk, Path directory) throws IOException {
        if (name.equals(CHANNEL)) {
            return new LogIo(name, disk, OpenMode.READ_WRITE, 1, Trial.NONE);
        }
        Disk over = needsDevice(name)
                ? DiskDevice.named(name)
                        .orElseThrow(() -> new IOException(NO_DEVICE))
                        .over(disk)
                : disk;
        return new LogIo(name, over, OpenMode.DIRECT_SYNC, over.directAlignment(directory), Trial.NONE);
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
            return Attempt.refused(trialFailed(refused));
        }
    }

    private static void tryToWrite(LogIo io, Disk disk, Path directory) throws IOException {
        try {
            new WriteTrial(io, directory).close();
        } catch (IOException refused) {
            if (!isRoomMissing(disk, directory, refused)) {
                throw refused;
            }
        }
    }

    /** The reason against a way whose trial has failed. */
    static String trialFailed(Exception refused) {
        return "a trial write failed (" + refused + ")";
    }

    /**
     * Whether a refusal may be a lack of room or a used-up quota. That says nothing against a way. A log that is there
     * must be opened on a full disk too, so that transactions can finish.
     */
    static boolean isRoomMissing(Disk disk, Path directory, IOException refused) throws IOException {
        return Shortage.isShortageOfRoom(refused) || disk.usableSpace(directory) < 2 * WriteTrial.FILE_BYTES;
    }

    /** The same way with the outcome of a trial. */
    LogIo with(Trial outcome) {
        return new LogIo(name, disk, mode, alignment, outcome);
    }
}
