package io.tallystick.store.journal.segmented;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.RecordEncoder;
import io.tallystick.store.journal.engine.RecordFormat;
import io.tallystick.store.spi.StateImage;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/format/journal-v1.md is the authority: its tables and its dump are what the code writes. */
class SegmentFormatDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "format", "journal-v1.md");
    private static final Pattern ROW = Pattern.compile("\\| `([A-Z_]+)` \\| (\\d+) \\| (\\d+) \\|.*");

    @TempDir
    Path directory;

    @Test
    void everyFieldOfTheTablesIsWhereTheCodeHasIt() throws Exception {
        Map<String, Integer> documented = new TreeMap<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                documented.put(row.group(1) + "_OFFSET", Integer.parseInt(row.group(2)));
            }
        }
        Map<String, Integer> coded = new TreeMap<>();
        for (Class<?> format : new Class<?>[] {SegmentFormat.class, RecordFormat.class}) {
            for (Field field : format.getDeclaredFields()) {
                if (field.getName().endsWith("_OFFSET")) {
                    field.setAccessible(true);
                    coded.put(field.getName(), field.getInt(null));
                }
            }
        }
        assertThat(documented).isEqualTo(coded);
    }

    @Test
    void theDumpOfTheDocumentIsWhatTheCodeWrites() throws Exception {
        assertThat(Files.readString(DOCUMENT)).contains(dump());
    }

    private String dump() throws Exception {
        byte[] storeId = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");
        SegmentHeader header = new SegmentHeader(1, 0x0102030405060708L, 16384, 4096, 0, 1, 1, 0, 0);
        Disk disk = new SystemDisk();
        ByteBuffer bytes = ByteBuffer.allocate(128 + 4096);
        header.encodeTo(bytes, storeId);
        try (DiskFile file = disk.open(directory.resolve("segment"), OpenMode.CREATE_NEW)) {
            StateKey key = StateKey.of("/T", ObjectId.of(new byte[] {7}));
            StateImage image = StateImage.ABSENT.write("abc".getBytes());
            Append append = Append.of(key, image, new RecordEncoder(storeId).encode(key, image), false);
            Segment segment = new Segment(file.path(), header, file, file);
            SegmentBatch batch = new SegmentBatch(1, append, 1, null, segment, 4096, 64 + append.recordLength());
            new BatchWriter(4096, 4096).write(batch, 0, true);
            ByteBuffer written = bytes.duplicate().position(128);
            file.readFully(written, 4096);
        }
        return lines(bytes.array(), 0, 128, 0) + "...\n" + lines(bytes.array(), 128, 96, 4096);
    }

    private static String lines(byte[] bytes, int from, int count, int shownAs) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < count; at += 16) {
            int width = Math.min(16, count - at);
            text.append(String.format("%04x  ", shownAs + at));
            text.append(HexFormat.ofDelimiter(" ").formatHex(bytes, from + at, from + at + width))
                    .append('\n');
        }
        return text.toString();
    }
}
