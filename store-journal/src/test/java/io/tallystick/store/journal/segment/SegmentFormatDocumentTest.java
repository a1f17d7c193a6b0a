package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.journal.FormatDocumentContract;
import io.tallystick.store.journal.GoldenFiles;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;

class SegmentFormatDocumentTest extends FormatDocumentContract {
    SegmentFormatDocumentTest() {
        super("journal-v1.md", SegmentedGoldenStore.RESOURCE, SegmentFormat.class, RecordFormat.class);
    }

    @Override
    protected Map<StateKey, StateImage> images() throws IOException {
        return SegmentedGoldenStore.images();
    }

    @Override
    protected StoreConfiguration.Builder configuration() {
        return JournalStores.small(golden, "segmented", "channel");
    }

    @Override
    protected String dump() throws IOException {
        byte[] file = Files.readAllBytes(golden.resolve(SegmentFormat.fileName(1)));
        return GoldenFiles.dump(file, 0, SegmentFormat.SEGMENT_HEADER_BYTES) + "...\n"
                + GoldenFiles.dump(file, SegmentedGoldenStore.BLOCK_BYTES, 96);
    }

    @Test
    void theFieldsOfTheTablesFillTheHeaders() throws Exception {
        int end = 0;
        StringBuilder ends = new StringBuilder();
        for (String line : Files.readAllLines(document)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                int offset = Integer.parseInt(row.group(2));
                if (offset == 0 && end > 0) {
                    ends.append(end).append(' ');
                } else if (!row.group(1).equals("SEGMENT_CRC")) { // what lies before it is zero, as the document says
                    assertThat(offset).as(line).isEqualTo(end);
                }
                end = offset + Integer.parseInt(row.group(3));
            }
        }
        assertThat(ends.append(end))
                .hasToString(SegmentFormat.SEGMENT_HEADER_BYTES + " " + SegmentFormat.BATCH_HEADER_BYTES + " "
                        + RecordFormat.HEADER_BYTES);
    }

    @Test
    void theFiguresOfTheDocumentAreThoseOfTheCode() throws Exception {
        assertThat(Files.readString(document).replaceAll("\\s+", " "))
                .contains("the kind is `journal-segmented-v1`")
                .contains("| `VERSION` | 8 | 4 | " + SegmentFormat.VERSION + " |")
                .contains(RecordFormat.KIND_IMAGE + ": image")
                .contains(RecordFormat.FLAG_COMMITTED + ": has a committed value, " + RecordFormat.FLAG_SHADOW
                        + ": has a shadow value, " + RecordFormat.FLAG_HIDDEN + ": is hidden")
                .contains("a multiple of " + RecordFormat.ALIGNMENT)
                .contains("bytes of the object id, 1 to " + ObjectId.MAX_BYTES)
                .contains("`" + SegmentRecovery.READY_FILE + "`")
                .contains("`" + SegmentFormat.fileName(5) + SegmentFormat.UNFINISHED_SUFFIX + "`")
                .contains(String.format(Locale.ROOT, "begins at least %,d higher", SegmentRecovery.SEQUENCE_STEP));
    }

    @Test
    void theGoldenFilesAreWhatTheCodeWrites() throws Exception {
        SegmentedGoldenStore written = new SegmentedGoldenStore();
        assertThat(Files.readAllBytes(golden.resolve(SegmentFormat.fileName(1))))
                .isEqualTo(written.first());
        assertThat(Files.readAllBytes(golden.resolve(SegmentFormat.fileName(2))))
                .isEqualTo(written.second());
    }
}
