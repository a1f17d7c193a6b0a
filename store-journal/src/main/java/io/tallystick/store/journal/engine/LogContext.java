package io.tallystick.store.journal.engine;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.spi.StatisticsRecorder;
import java.nio.file.Path;

/**
 * What an engine is opened with.
 *
 * @param options what the user chose
 * @param directory the store's directory, owned and locked
 * @param storeId the store's unique id, 16 bytes
 * @param isNew the directory held no store before this opening
 * @param io how bytes reach the disk
 * @param clock monotonic time
 * @param statistics where to count
 */
public record LogContext(
        JournalOptions options,
        Path directory,
        byte[] storeId,
        boolean isNew,
        LogIo io,
        NanoClock clock,
        StatisticsRecorder statistics) {}
