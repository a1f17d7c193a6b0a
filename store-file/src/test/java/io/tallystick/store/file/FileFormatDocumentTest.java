package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.file.format.FileNames;
import io.tallystick.store.file.format.StateFileEncoder;
import io.tallystick.store.file.format.StateFileFormat;
import io.tallystick.store.spi.StateImage;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/format/file-v1.md is the authority: its table, its names and its dump are what the code writes and reads. */
class FileFormatDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "format", "file-v1.md");
    private static final Pattern ROW = Pattern.compile("\\| `([A-Z_]+)` \\| (\\d+) \\| (\\d+) \\|.*");
    private static final HexFormat HEX = HexFormat.of();

    @TempDir
    Path temporary;

    private Path golden;

    @BeforeEach
    void copyGoldenStore() throws Exception {
        Path source = Path.of(
                getClass().getClassLoader().getResource(GoldenStore.RESOURCE).toURI());
        golden = temporary.resolve("golden");
        try (Stream<Path> tree = Files.walk(source)) {
            for (Path path : tree.toList()) {
                Files.copy(path, golden.resolve(source.relativize(path)));
            }
        }
    }

    @Test
    void everyFieldOfTheTableIsWhereTheCodeHasIt() throws Exception {
        Map<String, Integer> documented = new TreeMap<>();
        int end = 0;
        for (String line : Files.readAllLines(DOCUMENT)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                int offset = Integer.parseInt(row.group(2));
                assertThat(offset).as("no gap before " + row.group(1)).isEqualTo(end);
                end = offset + Integer.parseInt(row.group(3));
                documented.put(row.group(1) + "_OFFSET", offset);
            }
        }
        Map<String, Integer> coded = new TreeMap<>();
        for (Field field : StateFileFormat.class.getDeclaredFields()) {
            if (field.getName().endsWith("_OFFSET")) {
                field.setAccessible(true);
                coded.put(field.getName(), field.getInt(null));
            }
        }
        assertThat(documented).isEqualTo(coded);
        assertThat(end).isEqualTo(StateFileFormat.HEADER_BYTES);
    }

    @Test
    void theFiguresOfTheDocumentAreThoseOfTheCode() throws Exception {
        String document = Files.readString(DOCUMENT).replaceAll("\\s+", " ");

        assertThat(document)
                .contains("`" + new String(StateFileFormat.MAGIC, StandardCharsets.US_ASCII) + "` in ASCII")
                .contains("the kind is " + FileStore.KIND)
                .contains("| `VERSION` | 8 | 2 | " + StateFileFormat.VERSION + " |")
                .contains(StateFileFormat.HAS_COMMITTED + ": there is a committed value, " + StateFileFormat.HAS_SHADOW
                        + ": there is a shadow value, " + StateFileFormat.IS_HIDDEN + ": the key is hidden")
                .contains("of the id, 1 to " + ObjectId.MAX_BYTES)
                .contains("in UTF-8, 2 to " + StateKey.MAX_TYPE_BYTES)
                .contains("a multiple of " + StateFileFormat.BLOCK_BYTES)
                .contains("from offset " + StateFileFormat.HEADER_BYTES)
                .contains("at most " + FileNames.MAX_PIECE_CHARS + " characters")
                .contains("at most " + (2 * ObjectId.MAX_BYTES + FileNames.STATE_SUFFIX.length()) + " characters");
    }

    @Test
    void theNamesOfTheDocumentAreThoseOfTheCode() throws Exception {
        String document = Files.readString(DOCUMENT);

        assertThat(document)
                .contains("  " + FileNames.ROOT + "/")
                .contains("    " + FileNames.directoriesOf("/AtomicAction").get(0) + "/ ")
                .contains("      "
                        + FileNames.directoriesOf("/AtomicAction/Child").get(1) + "/ ")
                .contains("      " + FileNames.stateOf(ObjectId.parse("0a1b")) + " ")
                .contains("      " + FileNames.spare(7) + " ");
    }

    @Test
    void theDumpOfTheDocumentIsTheGoldenFile() throws Exception {
        byte[] file = Files.readAllBytes(golden.resolve("states/+atomic+action/0a1b.state"));
        StringBuilder dump = new StringBuilder("```\n");
        for (int at = 0; at < 87; at += 16) {
            dump.append(String.format("%04x  ", at))
                    .append(HexFormat.ofDelimiter(" ").formatHex(file, at, Math.min(87, at + 16)))
                    .append('\n');
        }
        assertThat(Files.readString(DOCUMENT)).contains(dump.append("```"));
    }

    @Test
    void theGoldenFilesAreWhatTheCodeWrites() throws Exception {
        StateFileEncoder encoder = new StateFileEncoder(HEX.parseHex(GoldenStore.STORE), GoldenStore.OPENING);
        long sequence = 0;
        for (Map.Entry<StateKey, StateImage> entry : GoldenStore.images().entrySet()) {
            StateKey key = entry.getKey();
            Path file = golden.resolve(FileNames.ROOT);
            for (String name : FileNames.directoriesOf(key.type())) {
                file = file.resolve(name);
            }
            byte[] encoded = encoder.encode(
                            key, key.type().getBytes(StandardCharsets.UTF_8), entry.getValue(), ++sequence)
                    .array();
            assertThat(Files.readAllBytes(file.resolve(FileNames.stateOf(key.id()))))
                    .as(key.toPrintable())
                    .isEqualTo(encoded);
        }
    }

    @Test
    void theGoldenStoreIsOpenedAndHoldsWhatWasWritten() {
        try (FileStore store = FileStore.open(
                FileStoreOptions.in(golden).withExistingExpected(true), new SystemDisk(), NanoClock.SYSTEM)) {
            assertThat(store.statistics().records())
                    .isEqualTo(GoldenStore.images().size());
            GoldenStore.images().forEach((key, image) -> {
                assertThat(store.statusOf(key)).isEqualTo(image.status());
                store.reveal(key);
                assertThat(store.read(key).orElse(null)).isEqualTo(image.committed());
                assertThat(store.readShadow(key).orElse(null)).isEqualTo(image.shadow());
            });
            StateKey key = GoldenStore.images().keySet().iterator().next();
            store.write(key, new byte[1], Durability.FORCED);
            assertThat(store.read(key)).contains(new byte[1]);
        }
    }
}
