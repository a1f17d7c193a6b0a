package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.GoldenFiles;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.log.record.RecordFormat;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/format/journal-v1.md is the authority: its tables and its dump are what the code writes and reads. */
class SegmentFormatDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "format", "journal-v1.md");
    private static final Pattern ROW = Pattern.compile("\\| `([A-Z_]+)` \\| (\\d+) \\| (\\d+) \\|.*");

    @TempDir
    Path temporary;

    private Path golden;

    @BeforeEach
    void copyGoldenStore() throws Exception {
        golden = GoldenFiles.copy(SegmentedGoldenStore.RESOURCE, temporary.resolve("golden"));
    }

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
    void theFieldsOfTheTablesFillTheHeaders() throws Exception {
        int end = 0;
        StringBuilder ends = new StringBuilder();
        for (String line : Files.readAllLines(DOCUMENT)) {
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
        assertThat(Files.readString(DOCUMENT).replaceAll("\\s+", " "))
                .contains("the kind is `journal-segmented-v1`")
                .contains("| `VERSION` | 8 | 4 | " + SegmentFormat.VERSION + " |")
                .contains(RecordFormat.KIND_IMAGE + ": image")
                .contains(RecordFormat.FLAG_COMMITTED + ": has a committed value, " + RecordFormat.FLAG_SHADOW
                        + ": has a shadow value, " + RecordFormat.FLAG_HIDDEN + ": is hidden")
                .contains("a multiple of " + RecordFormat.ALIGNMENT)
                .contains("bytes of the object id, 1 to " + ObjectId.MAX_BYTES)
                .contains("`" + SegmentRecovery.READY_FILE + "`")
                .contains("`" + SegmentFormat.fileName(5) + SegmentFormat.UNFINISHED_SUFFIX + "`")
                .contains(String.format("begins at least %,d higher", SegmentRecovery.SEQUENCE_STEP));
    }

    @Test
    void theDumpOfTheDocumentIsTheGoldenFile() throws Exception {
        byte[] file = Files.readAllBytes(golden.resolve(SegmentFormat.fileName(1)));
        assertThat(Files.readString(DOCUMENT))
                .contains("```\n" + GoldenFiles.dump(file, 0, SegmentFormat.SEGMENT_HEADER_BYTES) + "...\n"
                        + GoldenFiles.dump(file, SegmentedGoldenStore.BLOCK_BYTES, 96) + "```");
    }

    @Test
    void theGoldenFilesAreWhatTheCodeWrites() throws Exception {
        SegmentedGoldenStore written = new SegmentedGoldenStore();
        assertThat(Files.readAllBytes(golden.resolve(SegmentFormat.fileName(1))))
                .isEqualTo(written.first());
        assertThat(Files.readAllBytes(golden.resolve(SegmentFormat.fileName(2))))
                .isEqualTo(written.second());
    }

    @Test
    void theGoldenStoreIsOpenedAndHoldsWhatWasWritten() throws Exception {
        try (ObjectStore store = open()) {
            assertThat(store.statistics().records())
                    .isEqualTo(SegmentedGoldenStore.images().size());
            SegmentedGoldenStore.images().forEach((key, image) -> {
                assertThat(store.statusOf(key)).isEqualTo(image.status());
                store.reveal(key);
                assertThat(store.read(key).orElse(null)).isEqualTo(image.committed());
                assertThat(store.readShadow(key).orElse(null)).isEqualTo(image.shadow());
            });
            StateKey removed = StateKey.of("/T", ObjectId.of(new byte[] {8}));
            assertThat(store.statusOf(removed)).isEqualTo(StateStatus.ABSENT);
            store.write(removed, new byte[1], Durability.FORCED);
        }
        try (ObjectStore store = open()) {
            assertThat(store.statistics().records())
                    .isEqualTo(SegmentedGoldenStore.images().size() + 1);
        }
    }

    private ObjectStore open() {
        return JournalStores.open(
                JournalStores.small(golden, "segmented", "channel").set(StoreOption.EXPECT_EXISTING, true));
    }
}
