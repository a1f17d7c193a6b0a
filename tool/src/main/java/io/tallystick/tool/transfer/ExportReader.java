package io.tallystick.tool.transfer;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import com.eclipsesource.json.ParseException;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Reads an export. The caller must not use its records before the end was reached, because only the end proves that it
 * is complete.
 */
final class ExportReader {
    private static final Set<String> RECORD_NAMES = Set.of(
            ExportFormat.TYPE, ExportFormat.ID, ExportFormat.COMMITTED, ExportFormat.SHADOW, ExportFormat.HIDDEN);

    private final Path file;
    private final Reading reading;
    private final CRC32C checksum = new CRC32C();
    private long lineNumber;
    private long records;
    private StateKey last;

    private ExportReader(Path file, Reading reading) {
        this.file = file;
        this.reading = reading;
    }

    /** What is true of the records when something is wrong with the file. */
    enum Reading {
        /** None is used before the end. */
        FIRST("nothing of it was imported: export again, or copy the file again"),
        /** The file was whole before. */
        AGAIN("it was whole in an earlier reading, so it has changed, or is a pipe; records before this line were"
                + " imported and stay: give a plain file that nobody changes, and run the import again");

        private final String remedy;

        Reading(String remedy) {
            this.remedy = remedy;
        }
    }

    /** Takes the records of an export. */
    interface Sink {
        void accept(StateKey key, StateImage image) throws IOException;
    }

    /**
     * Reads the whole file.
     *
     * @return the checksum of its records
     * @throws ToolException the file is not an export, or damaged, or cut off; the message has the line
     */
    static long read(Path file, Reading reading, Sink sink) throws IOException {
        return new ExportReader(file, reading).read(sink);
    }

    private long read(Sink sink) throws IOException {
        try (InputStream source = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            checkHeader(object(source));
            while (true) {
                long sumBefore = checksum.getValue();
                JsonObject line = object(source);
                if (line.get(ExportFormat.RECORDS) != null) {
                    checkEnd(line, sumBefore);
                    if (source.read() >= 0) {
                        throw damaged("there are bytes after the closing line");
                    }
                    return sumBefore;
                }
                take(line, sink);
            }
        }
    }

    private void checkHeader(JsonObject header) {
        JsonValue version = header.get(ExportFormat.EXPORT);
        if (version == null || !version.isNumber()) {
            throw damaged("it is not the header of an export");
        }
        if (!version.toString().equals(String.valueOf(ExportFormat.VERSION))) {
            throw new ToolException(
                    ExitStatus.FAILED,
                    "file=" + file + " is an export of version " + version + "; this tool reads version "
                            + ExportFormat.VERSION + ": use the tool that wrote it");
        }
    }

    private void take(JsonObject line, Sink sink) throws IOException {
        for (String name : line.names()) {
            if (!RECORD_NAMES.contains(name)) {
                throw damaged("a record has no '" + name + "'");
            }
        }
        StateKey key;
        StateImage image;
        try {
            key = StateKey.of(text(line, ExportFormat.TYPE), ObjectId.parse(text(line, ExportFormat.ID)));
            JsonValue hidden = line.get(ExportFormat.HIDDEN);
            image = StateImage.of(
                    bytes(line, ExportFormat.COMMITTED),
                    bytes(line, ExportFormat.SHADOW),
                    hidden != null && hidden.asBoolean());
        } catch (IllegalArgumentException | UnsupportedOperationException wrong) {
            throw damaged(wrong.getMessage());
        }
        if (image.isAbsent()) {
            throw damaged("a record has no value");
        }
        if (last != null && InspectedRecord.ORDER.compare(last, key) >= 0) {
            throw damaged("the record occurs twice or out of order");
        }
        last = key;
        records++;
        sink.accept(key, image);
    }

    private void checkEnd(JsonObject end, long sum) {
        JsonValue stated = end.get(ExportFormat.CHECKSUM);
        String actual = HexFormat.of().toHexDigits((int) sum);
        if (!end.get(ExportFormat.RECORDS).toString().equals(String.valueOf(records))) {
            throw damaged("it names " + end.get(ExportFormat.RECORDS) + " records, but there are " + records);
        }
        if (stated == null || !stated.isString() || !stated.asString().equals(actual)) {
            throw damaged("the checksum of the lines before it is " + actual + ", not " + stated);
        }
    }

    private JsonObject object(InputStream source) throws IOException {
        lineNumber++;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = source.read();
        while (next >= 0 && next != '\n') {
            line.write(next);
            next = source.read();
        }
        if (next < 0) {
            throw damaged("the file ends here, without its closing line: it was cut off, or its writer failed");
        }
        byte[] bytes = line.toByteArray();
        checksum.update(bytes);
        checksum.update('\n');
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            JsonValue value = Json.parse(text);
            if (value.isObject()) {
                return value.asObject();
            }
        } catch (ParseException | CharacterCodingException wrong) {
            throw damaged("it is not JSON (" + wrong.getMessage() + ")");
        }
        throw damaged("it is not a JSON object");
    }

    private static String text(JsonObject line, String name) {
        JsonValue value = line.get(name);
        if (value == null || !value.isString()) {
            throw new IllegalArgumentException("'" + name + "' is missing");
        }
        return value.asString();
    }

    private static byte[] bytes(JsonObject line, String name) {
        return line.get(name) == null ? null : Base64.getDecoder().decode(text(line, name));
    }

    private ToolException damaged(String reason) {
        return new ToolException(
                ExitStatus.NEGATIVE, "file=" + file + " line=" + lineNumber + ": " + reason + "; " + reading.remedy);
    }
}
