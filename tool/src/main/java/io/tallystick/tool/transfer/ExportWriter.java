package io.tallystick.tool.transfer;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.WriterConfig;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import io.tallystick.tool.command.Escaped;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** Writes an export: header, records, closing line. The stream belongs to the caller. */
final class ExportWriter {
    private final OutputStream target;
    private final CRC32C checksum = new CRC32C();
    private long records;

    /**
     * Begins an export.
     *
     * @param kind the name of the store and its format
     * @param storeId the store's unique id
     */
    ExportWriter(OutputStream target, String kind, String storeId) throws IOException {
        this.target = target;
        line(Json.object()
                .add(ExportFormat.EXPORT, ExportFormat.VERSION)
                .add(ExportFormat.KIND, kind)
                .add(ExportFormat.STORE, storeId));
    }

    /** Writes a record; the keys come in the order of their types and ids. */
    void record(StateKey key, StateImage image) throws IOException {
        JsonObject record = Json.object()
                .add(ExportFormat.TYPE, key.type())
                .add(ExportFormat.ID, key.id().toString());
        if (image.committed() != null) {
            record.add(ExportFormat.COMMITTED, Base64.getEncoder().encodeToString(image.committed()));
        }
        if (image.shadow() != null) {
            record.add(ExportFormat.SHADOW, Base64.getEncoder().encodeToString(image.shadow()));
        }
        if (image.isHidden()) {
            record.add(ExportFormat.HIDDEN, true);
        }
        line(record);
        records++;
    }

    /** Writes the closing line, without which no reader accepts the export. */
    void finish() throws IOException {
        line(Json.object()
                .add(ExportFormat.RECORDS, records)
                .add(ExportFormat.CHECKSUM, HexFormat.of().toHexDigits((int) checksum.getValue())));
        target.flush();
    }

    /** The number of records that were written. */
    long records() {
        return records;
    }

    private void line(JsonObject object) throws IOException {
        byte[] line = (Escaped.json(object.toString(WriterConfig.MINIMAL)) + "\n").getBytes(StandardCharsets.UTF_8);
        checksum.update(line);
        target.write(line);
    }
}
