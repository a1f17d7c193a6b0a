package io.tallystick.store.file;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A file with the whole content of a state, which has no key's name yet. It stays open until it is forced: an error that
 * befalls its bytes on their way to the disk is told to who had the file open at that time, and perhaps to nobody else.
 */
final class WrittenFile {
    private final Path path;
    private final DiskFile file;
    private final boolean canBecomeSpare;
    private final OpenFiles openFiles;
    private final NanoClock clock;
    private final StatisticsRecorder statistics;

    WrittenFile(
            Path path,
            DiskFile file,
            boolean canBecomeSpare,
            OpenFiles openFiles,
            NanoClock clock,
            StatisticsRecorder statistics) {
        this.path = path;
        this.file = file;
        this.canBecomeSpare = canBecomeSpare;
        this.openFiles = openFiles;
        this.clock = clock;
        this.statistics = statistics;
    }

    /** Where the file is. */
    Path path() {
        return path;
    }

    /** The file, open to be written. */
    DiskFile file() {
        return file;
    }

    /** Brings the content to disk. Returns the file if it stays open, else null. */
    OpenFiles.Kept force() throws IOException {
        long begun = clock.nanoTime();
        StoreEvents.Force force = statistics.events().beginForce();
        file.force();
        force.succeeded(0, 0);
        statistics.forcedBetween(0, begun, clock.nanoTime());
        if (canBecomeSpare) {
            return openFiles.keep(file);
        }
        file.close();
        return null;
    }

    /** Closes the file, whose content is of no use any more. */
    void abandon() {
        OpenFiles.close(file);
    }
}
