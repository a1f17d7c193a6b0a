package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.GoldenFiles;
import io.tallystick.store.journal.JournalStores;
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

/** docs/format/journal-artemis-v1.md is the authority: its tables and its dump are what the code writes. */
class ArtemisFormatDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "format", "journal-artemis-v1.md");
    private static final Pattern ROW = Pattern.compile("\\| `([A-Z_]+)` \\| (\\d+) \\|.*");

    @TempDir
    Path temporary;

    private Path golden;

    @BeforeEach
    void copyGoldenStore() throws Exception {
        golden = GoldenFiles.copy(ArtemisGoldenStore.RESOURCE, temporary.resolve("golden"));
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
        for (Field field : ArtemisFormat.class.getDeclaredFields()) {
            if (field.getName().endsWith("_OFFSET") && !field.getName().equals("DATA_OFFSET")) {
                coded.put(field.getName(), field.getInt(null));
            }
        }
        assertThat(documented).isEqualTo(coded);
    }

    @Test
    void theDumpOfTheDocumentIsTheGoldenFile() throws Exception {
        byte[] file = Files.readAllBytes(golden.resolve(ArtemisGoldenStore.FILE));
        assertThat(Files.readString(DOCUMENT))
                .contains("```\n" + GoldenFiles.dump(file, 0, ArtemisFormat.HEADER_BYTES) + "...\n"
                        + GoldenFiles.dump(file, ArtemisFormat.DATA_OFFSET, ArtemisGoldenStore.firstBatchBytes())
                        + "```");
    }

    @Test
    void theGoldenFileIsWhatTheCodeWrites() throws Exception {
        assertThat(Files.readAllBytes(golden.resolve(ArtemisGoldenStore.FILE)))
                .isEqualTo(new ArtemisGoldenStore().file());
    }

    @Test
    void theGoldenStoreIsOpenedAndHoldsWhatWasWritten() {
        try (ObjectStore store = open()) {
            assertThat(store.statistics().records())
                    .isEqualTo(ArtemisGoldenStore.images().size());
            ArtemisGoldenStore.images().forEach((key, image) -> {
                assertThat(store.statusOf(key)).isEqualTo(image.status());
                store.reveal(key);
                assertThat(store.read(key).orElse(null)).isEqualTo(image.committed());
                assertThat(store.readShadow(key).orElse(null)).isEqualTo(image.shadow());
            });
            store.write(StateKey.of("/T", ObjectId.of(new byte[] {8})), new byte[1], Durability.FORCED);
        }
        try (ObjectStore store = open()) {
            assertThat(store.statistics().records())
                    .isEqualTo(ArtemisGoldenStore.images().size() + 1);
        }
    }

    private ObjectStore open() {
        return JournalStores.open(JournalStores.small(golden, "artemis", "channel")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, (long) ArtemisGoldenStore.FILE_BYTES)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB)
                .set(StoreOption.EXPECT_EXISTING, true));
    }
}
