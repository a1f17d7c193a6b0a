package io.tallystick.benchmarks.measure;

import io.tallystick.storage.Disk;
import io.tallystick.store.journal.io.LogIo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** The two ways to make one block durable; every store uses one of them. */
public enum DiskKind {
    /** Write to the page cache, then wait for the device. */
    FORCED("write+fdatasync", LogIo.CHANNEL),
    /** Past the page cache, each write durable when it returns. */
    DIRECT("O_DIRECT|O_DSYNC", LogIo.DIRECT);

    private final String label;
    private final String io;

    DiskKind(String label, String io) {
        this.label = label;
        this.io = io;
    }

    static DiskKind labelled(String label) {
        return Arrays.stream(values())
                .filter(kind -> kind.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no kind of disk write '" + label + "'"));
    }

    public String label() {
        return label;
    }

    /**
     * This way to the disk in a directory, for writers that may work side by side.
     *
     * @throws IOException it does not work there
     */
    LogIo in(Path directory, Disk disk) throws IOException {
        LogIo.Attempt attempt = LogIo.find(io, disk, directory);
        return attempt.io().orElseThrow(() -> new IOException(attempt.reason()));
    }

    /** The reason why this way does not work in the directory of a run; empty if it works. For one thread. */
    public Optional<String> unavailableBecause(Disk disk, Path directory) {
        return Optional.of(LogIo.tried(io, disk, directory).reason()).filter(reason -> !reason.isEmpty());
    }
}
