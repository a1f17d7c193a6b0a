package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.RecordEncoder;
import io.tallystick.store.spi.StateImage;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.activemq.artemis.core.journal.EncoderPersister;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.apache.activemq.artemis.core.journal.impl.dataformat.ByteArrayEncoding;
import org.apache.activemq.artemis.core.journal.impl.dataformat.JournalAddRecord;
import org.junit.jupiter.api.Test;

/** docs/format/journal-artemis-v1.md is the authority: its tables and its dump are what the code writes. */
class ArtemisFormatDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "format", "journal-artemis-v1.md");
    private static final Pattern ROW = Pattern.compile("\\| `([A-Z_]+)` \\| (\\d+) \\|.*");

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
        for (Field field : ArtemisFormat.class.getDeclaredFields()) {
            if (field.getName().endsWith("_OFFSET") && !field.getName().equals("DATA_OFFSET")) {
                coded.put(field.getName(), field.getInt(null));
            }
        }
        assertThat(documented).isEqualTo(coded);
    }

    @Test
    void theDumpOfTheDocumentIsWhatTheCodeWrites() throws Exception {
        assertThat(Files.readString(DOCUMENT)).contains(dump());
    }

    private static String dump() {
        byte[] storeId = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");
        ByteBuffer block = ByteBuffer.allocate(ArtemisFormat.HEADER_BYTES);
        new FileHeader(1, 0, 0, 65536).encodeTo(block, storeId);

        StateKey key = StateKey.of("/T", ObjectId.of(new byte[] {7}));
        StateImage image = StateImage.ABSENT.write("abc".getBytes(StandardCharsets.US_ASCII));
        Append append = Append.of(key, image, new RecordEncoder(storeId).encode(key, image), false);
        int length = ArtemisFormat.batchHeaderBytes(0) + ArtemisFormat.ADD_FRAME_BYTES + append.recordLength();
        BatchHeader header = new BatchHeader(length, 1, 1, ArtemisFormat.DATA_OFFSET, 1, 2, Map.of());
        BatchBuffer batch = new BatchBuffer(1);
        batch.begin(length);
        JournalAddRecord event = new JournalAddRecord(
                JournalImpl.EVENT_RECORD,
                1,
                ArtemisFormat.BATCH_TYPE,
                EncoderPersister.getInstance(),
                new ByteArrayEncoding(header.encodedBody(storeId)));
        event.setFileID(1);
        batch.append(event);
        JournalAddRecord add = new JournalAddRecord(true, 1, ArtemisFormat.IMAGE_TYPE, new ImagePersister(), append);
        add.setFileID(1);
        batch.append(add);
        byte[] written = new byte[length];
        batch.finish().get(written);
        return lines(block.array(), 0) + "...\n" + lines(written, ArtemisFormat.DATA_OFFSET);
    }

    private static String lines(byte[] bytes, int shownAs) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < bytes.length; at += 16) {
            int width = Math.min(16, bytes.length - at);
            text.append(String.format("%04x  ", shownAs + at));
            text.append(HexFormat.ofDelimiter(" ").formatHex(bytes, at, at + width))
                    .append('\n');
        }
        return text.toString();
    }
}
