package io.tallystick.store.journal.io;

import io.tallystick.store.spi.FailureLog;
import java.nio.file.Path;

/**
 * A batch that is not whole, and that nothing requires: no mark says that it was on disk. Recovery ignores it, and an
 * opening says so.
 *
 * @param offset where it begins in the file, bytes
 */
public record IgnoredBatch(Path file, long offset) {
    private static final System.Logger LOG = System.getLogger(IgnoredBatch.class.getName());

    /** Logs it. */
    public void tell() {
        FailureLog.tell(
                LOG,
                System.Logger.Level.INFO,
                "TALLY0310 file=" + file + " offset=" + offset + ": the last batch is not whole and is ignored. It was"
                        + " being written when the process or the machine stopped: then nobody was told of a commit in"
                        + " it. Or it was written in the second before, and the file was damaged since: then"
                        + " transactions of that second may be in doubt",
                null);
    }
}
