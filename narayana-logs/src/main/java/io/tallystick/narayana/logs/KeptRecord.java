package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * A directory in which a record is kept that is to be forgotten. The record is an export of its own, so {@code
 * tallystick import} brings it back. docs/format/export-v1.md has the format. The name of the file is {@code
 * 2026-11-27T03-12-45Z-forget-0_ffff7f000001_8f3b_6566a5e2_12.jsonl}.
 */
public final class KeptRecord {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss'Z'", Locale.ROOT);

    private final Disk disk;
    private final Path directory;

    /** @param directory it is there */
    public KeptRecord(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /**
     * Keeps the record; it is on disk when the call returns.
     *
     * @param kind the name of the store and its format, for people
     * @param storeId the store's unique id; may be empty
     * @return the new file
     * @throws IOException it cannot be kept, so the record must stay where it is
     */
    public Path keep(String kind, String storeId, StateKey key, StateImage image, Instant now) throws IOException {
        String uid = NarayanaUid.text(key.id()).replace(':', '_');
        Path file = directory.resolve(TIME.format(now.atOffset(ZoneOffset.UTC)) + "-forget-" + uid + ".jsonl");
        try (DiskFile made = disk.open(file, OpenMode.CREATE_NEW)) {
            made.writeFully(ByteBuffer.wrap(export(kind, storeId, key, image)), 0);
            made.force();
        }
        disk.forceDirectory(directory);
        return file;
    }

    private static byte[] export(String kind, String storeId, StateKey key, StateImage image) {
        StringBuilder lines = new StringBuilder();
        lines.append("{\"tallystick-export\":1,\"kind\":").append(quoted(kind));
        lines.append(",\"store\":").append(quoted(storeId)).append("}\n");
        lines.append("{\"type\":").append(quoted(key.type()));
        lines.append(",\"id\":").append(quoted(key.id().toString()));
        append("committed", image.committed(), lines);
        append("shadow", image.shadow(), lines);
        lines.append(image.isHidden() ? ",\"hidden\":true" : "").append("}\n");
        byte[] covered = lines.toString().getBytes(StandardCharsets.UTF_8);
        CRC32C checksum = new CRC32C();
        checksum.update(covered);
        ByteArrayOutputStream export = new ByteArrayOutputStream();
        export.writeBytes(covered);
        export.writeBytes(
                ("{\"records\":1,\"crc32c\":\"" + HexFormat.of().toHexDigits((int) checksum.getValue()) + "\"}\n")
                        .getBytes(StandardCharsets.UTF_8));
        return export.toByteArray();
    }

    private static void append(String name, byte[] value, StringBuilder line) {
        if (value != null) {
            line.append(",\"").append(name).append("\":\"");
            line.append(Base64.getEncoder().encodeToString(value)).append('"');
        }
    }

    // Everything but printable ASCII is escaped: so no character can end the string or the line.
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            boolean isPlain = each >= ' ' && each <= '~' && each != '"' && each != '\\';
            if (isPlain) {
                quoted.append(each);
            } else {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) each));
            }
        }
        return quoted.append('"').toString();
    }
}
