package io.tallystick.store.journal;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.spi.StatisticsRecorder;
import java.nio.file.Path;

/**
 * The surroundings in which an engine is opened.
 *
 * @param options the user's choice
 * @param home the store's place
 * @param io how bytes reach the disk
 * @param clock monotonic time
 * @param statistics where to count
 */
public record JournalContext(
        JournalOptions options, Home home, LogIo io, NanoClock clock, StatisticsRecorder statistics) {
    /**
     * The place of a store.
     *
     * @param directory the store's directory, owned and locked
     * @param storeId the store's unique id, 16 bytes
     */
    public record Home(Path directory, byte[] storeId) {}

    /** The store's directory, owned and locked. */
    public Path directory() {
        return home.directory;
    }

    /** The store's unique id, 16 bytes. */
    public byte[] storeId() {
        return home.storeId;
    }
}
