package io.tallystick.nativeio;

import io.tallystick.storage.SystemErrorException;
import java.io.IOException;
import java.time.Duration;

/** The common part of all waits for a write: the patience, the count and the errors. */
final class Completion {
    /**
     * The longest wait for a write. Disks retry by themselves (SCSI: 30 seconds, six times), so a disk without an
     * answer by then will not answer.
     */
    static final Duration PATIENCE = Duration.ofMinutes(5);

    private Completion() {}

    /** The count of bytes on disk, from the result of a write of this many bytes. */
    static int countFrom(long result, int asked) throws IOException {
        if (result < 0) {
            throw new SystemErrorException(Kernel.errorText(-result), (int) -result);
        }
        if (result > asked) {
            throw new IOException("the kernel says that it wrote " + result + " of " + asked + " bytes");
        }
        return (int) result;
    }

    static IOException notSubmitted(String call, long result) {
        return result < 0
                ? new SystemErrorException(
                        call + " did not take the write: " + Kernel.errorText(-result), (int) -result)
                : new IOException(call + " did not take the write: it answered " + result);
    }

    static IOException lost(String call, long result) {
        return new IOException(call + " failed while the write was in flight, so its outcome is unknown: "
                + (result < 0 ? Kernel.errorText(-result) : "it answered " + result)
                + ". Close the file and look at the system's log");
    }

    static IOException tooLate() {
        return new IOException("the disk has not answered for " + PATIENCE.toSeconds()
                + " s, so the outcome of this write is unknown. Close the file and look at the system's log");
    }
}
