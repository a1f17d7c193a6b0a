package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/format/directory-v1.md says what the code does. */
class DirectoryFormatDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "format", "directory-v1.md");
    private static final Path GOLDEN = Path.of("src", "test", "resources", "directory-v1", "tallystick.store");
    private static final Path GOLDEN_NODE = GOLDEN.resolveSibling("tallystick.node");
    private static final Path GOLDEN_PLACE = GOLDEN.resolveSibling("tallystick.place");

    @TempDir
    Path directory;

    private String document;

    @BeforeEach
    void makeStore() throws IOException {
        document = Files.readString(DOCUMENT);
        StoreDirectory.take(new SystemDisk(), directory, "journal-segmented-v1", false, Optional.of("node-7"))
                .close();
    }

    @Test
    void filesOfTheTableAreThoseInADirectory() throws IOException {
        List<String> documented = column(table("| file |"), 0);
        try (var files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(documented);
        }
        assertThat(documented)
                .containsExactly(
                        StoreDirectory.LOCK_FILE,
                        StoreDirectory.OWNER_FILE,
                        StoreIdentity.FILE_NAME,
                        NodeBinding.FILE_NAME,
                        PlaceNote.FILE_NAME);
        assertThat(Files.size(directory.resolve(StoreDirectory.LOCK_FILE))).isZero();
    }

    @Test
    void linesOfTheOwnerFileAreThoseOfItsTable() throws IOException {
        List<String> documented = column(table("| line | meaning |"), 0);
        Path owner = directory.resolve(StoreDirectory.OWNER_FILE);
        List<String> ofAnOwner = documented.subList(0, 3);
        assertLinesBeginWith(Files.readAllLines(owner), ofAnOwner);
        byte[] written = Files.readAllBytes(owner);
        try (EndingOwner ending = EndingOwner.of(new SystemDisk(), owner, written)) {
            ending.tell();
        }
        assertLinesBeginWith(
                Files.readAllLines(owner),
                Stream.concat(ofAnOwner.stream(), Stream.of(documented.get(4))).toList());
        StoreDirectory.take(
                        new SystemDisk(),
                        directory,
                        "journal-segmented-v1",
                        true,
                        new StoreDirectory.Taker(Optional.of("node-7"), true, Duration.ZERO))
                .close();
        assertLinesBeginWith(Files.readAllLines(owner), documented.subList(0, 4));
    }

    private static void assertLinesBeginWith(List<String> lines, List<String> documented) {
        assertThat(lines).hasSameSizeAs(documented);
        for (int i = 0; i < lines.size(); i++) {
            assertThat(lines.get(i)).startsWith(documented.get(i));
        }
    }

    @Test
    void linesOfTheIdentityFileHaveTheFormsOfItsTable() throws IOException {
        List<String> forms = column(table("| line | field | form |"), 2);
        for (Path file : List.of(directory.resolve(StoreIdentity.FILE_NAME), GOLDEN)) {
            List<String> lines = Files.readAllLines(file);

            assertThat(lines).hasSameSizeAs(forms);
            for (int i = 0; i < lines.size(); i++) {
                assertThat(lines.get(i)).matches(forms.get(i));
            }
        }
    }

    @Test
    void linesOfTheNodeFileHaveTheFormsOfItsTable() throws IOException {
        List<String> forms = column(table("| line | field of the node |"), 2);
        for (Path file : List.of(directory.resolve(NodeBinding.FILE_NAME), GOLDEN_NODE)) {
            List<String> lines = Files.readAllLines(file);

            assertThat(lines).hasSameSizeAs(forms);
            for (int i = 0; i < lines.size(); i++) {
                assertThat(lines.get(i)).matches(forms.get(i));
            }
        }
    }

    @Test
    void linesOfTheMarkOfALossHaveTheFormsOfItsTable() throws IOException {
        List<String> forms = column(table("| line | field of the mark |"), 2);
        LossMark.write(new SystemDisk(), directory, UUID.randomUUID(), Instant.now(), "a file is gone", "pid=1");
        for (Path file : List.of(directory.resolve(LossMark.FILE_NAME), GOLDEN.resolveSibling(LossMark.FILE_NAME))) {
            List<String> lines = Files.readAllLines(file);

            assertThat(lines).hasSameSizeAs(forms);
            for (int i = 0; i < lines.size(); i++) {
                assertThat(lines.get(i)).matches(forms.get(i));
            }
        }
    }

    @Test
    void linesOfThePlaceFileHaveTheFormsOfItsTable() throws IOException {
        List<String> forms = column(table("| line | field of the place |"), 2);
        for (Path file : List.of(directory.resolve(PlaceNote.FILE_NAME), GOLDEN_PLACE)) {
            List<String> lines = Files.readAllLines(file);

            assertThat(lines).hasSameSizeAs(forms);
            for (int i = 0; i < lines.size(); i++) {
                assertThat(lines.get(i)).matches(forms.get(i));
            }
        }
    }

    @Test
    void goldenPlaceIsRead() throws IOException {
        Path golden = Files.createDirectory(directory.resolve("golden"));
        Files.copy(GOLDEN_PLACE, golden.resolve(PlaceNote.FILE_NAME));

        assertThat(PlaceNote.read(new SystemDisk(), golden).orElseThrow().description())
                .isEqualTo("path=/var/lib/tx host=db1 machine=5c8d1f8e directory-number=131");
    }

    @Test
    void exampleOfAPlaceIsTheGoldenFile() throws IOException {
        assertThat(document).contains("### Example of a place\n\n```\n" + Files.readString(GOLDEN_PLACE) + "```\n");
    }

    @Test
    void goldenDirectoryWithItsNodeOpens() throws IOException {
        Path golden = Files.createDirectory(directory.resolve("golden"));
        Files.copy(GOLDEN, golden.resolve(StoreIdentity.FILE_NAME));
        Files.copy(GOLDEN_NODE, golden.resolve(NodeBinding.FILE_NAME));

        try (StoreDirectory taken =
                StoreDirectory.take(new SystemDisk(), golden, "file-v1", true, Optional.of("orders-0"))) {
            assertThat(taken.nodeId()).contains("orders-0");
        }
    }

    @Test
    void exampleOfANodeIsTheGoldenFile() throws IOException {
        assertThat(document).contains("### Example of a node\n\n```\n" + Files.readString(GOLDEN_NODE) + "```\n");
    }

    @Test
    void exampleIsTheGoldenFile() throws IOException {
        assertThat(document).contains("### Example\n\n```\n" + Files.readString(GOLDEN) + "```\n");
    }

    /** The rows of the table with this header, without the line below it. */
    private List<String> table(String header) {
        List<String> lines = document.lines().toList();
        int first = 0;
        while (!lines.get(first).startsWith(header)) {
            first++;
        }
        return lines.stream()
                .skip(first + 2L)
                .takeWhile(line -> line.startsWith("|"))
                .toList();
    }

    /** What stands in code quotes in this column. */
    private static List<String> column(List<String> rows, int column) {
        return rows.stream()
                .map(row -> Arrays.asList(row.split(" *\\| *")).get(column + 1))
                .map(cell -> cell.replaceAll("^`|`$", ""))
                .toList();
    }
}
