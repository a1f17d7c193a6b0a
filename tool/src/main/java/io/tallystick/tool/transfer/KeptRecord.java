package io.tallystick.tool.transfer;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.UUID;

/**
 * A directory in which a record is kept that is to be forgotten. The record is an export of its own, so {@code import}
 * brings it back.
 */
final class KeptRecord {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss'Z'", Locale.ROOT);

    private final Disk disk;
    private final Path directory;

    KeptRecord(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /**
     * Keeps the record in the directory, which is there; it is on disk when the call returns.
     *
     * @param uid of the record, as Narayana prints it
     */
    Path keep(StoreInspection inspection, InspectedRecord record, StateImage image, String uid, Instant now)
            throws IOException {
        ByteArrayOutputStream export = new ByteArrayOutputStream();
        ExportWriter writer = new ExportWriter(
                export,
                inspection.kind(),
                inspection.storeId().map(UUID::toString).orElse(""));
        writer.record(record.key(), image);
        writer.finish();
        Path file = directory.resolve(
                TIME.format(now.atOffset(ZoneOffset.UTC)) + "-forget-" + uid.replace(':', '_') + ".jsonl");
        try (DiskFile made = disk.open(file, OpenMode.CREATE_NEW)) {
            made.writeFully(ByteBuffer.wrap(export.toByteArray()), 0);
            made.force();
        }
        disk.forceDirectory(directory);
        return file;
    }
}
