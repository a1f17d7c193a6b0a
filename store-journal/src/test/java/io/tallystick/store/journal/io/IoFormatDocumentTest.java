package io.tallystick.store.journal.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.DiskPlace;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/format/journal-io-v1.md says what the code does. */
class IoFormatDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "format", "journal-io-v1.md");
    private static final Path GOLDEN = Path.of("src", "test", "resources", "journal-io-v1", "tallystick.io");
    private static final DiskPlace PLACE =
            new DiskPlace("/dev/vdb1 write back vol-0d9f4c0e", "ext4", "rw,relatime", "131073", "5c8d1f8e");
    private static final String NEVER_WRITTEN = "nobarrier";

    @TempDir
    Path directory;

    @Test
    void linesOfAFileHaveTheFormsOfTheTable() throws IOException {
        List<String> forms = Files.readAllLines(DOCUMENT).stream()
                .filter(line -> line.matches("\\| \\d+ \\| .*"))
                .map(row -> Arrays.asList(row.split(" *\\| *")).get(3).replaceAll("^`|`$", ""))
                .toList();
        new RememberedIo("direct", 117, TrialConditions.in(directory, new SystemDisk(), List.of("direct")))
                .writeTo(directory, new SystemDisk());

        for (Path file : List.of(directory.resolve("tallystick.io"), GOLDEN)) {
            List<String> lines = Files.readAllLines(file);
            assertThat(lines).hasSameSizeAs(forms);
            for (int i = 0; i < lines.size(); i++) {
                assertThat(lines.get(i)).matches(forms.get(i));
            }
        }
    }

    @Test
    void exampleIsTheGoldenFile() throws IOException {
        assertThat(Files.readString(DOCUMENT)).contains("### Example\n\n```\n" + Files.readString(GOLDEN) + "```\n");
    }

    @Test
    void goldenFileIsReadAndWrittenTheSame() throws IOException {
        Files.copy(GOLDEN, directory.resolve("tallystick.io"));

        RememberedIo known = RememberedIo.in(directory, new SystemDisk()).orElseThrow();
        assertThat(known.name()).isEqualTo("direct");
        assertThat(known.micros()).isEqualTo(117);
        known.writeTo(directory, new SystemDisk());
        assertThat(directory.resolve("tallystick.io")).hasSameTextualContentAs(GOLDEN);
    }

    @Test
    void longAndForeignValuesStayTellable() throws IOException {
        String layers = "lowerdir=" + "/var/lib/layer:".repeat(40);
        TrialConditions one = conditions(layers + "\u00e4");
        TrialConditions other = conditions(layers + "\u00f6");
        new RememberedIo("direct", 1, one).writeTo(directory, new SystemDisk());

        TrialConditions known =
                RememberedIo.in(directory, new SystemDisk()).orElseThrow().conditions();
        assertThat(one.differenceFrom(known)).isEmpty();
        assertThat(other.differenceFrom(known))
                .hasValueSatisfying(text -> assertThat(text).startsWith("options was 'lowerdir=/var/lib/layer:"));
        assertThat(conditions(NEVER_WRITTEN).differenceFrom(known)).isPresent();
    }

    @Test
    void placeOfARealDirectoryIsToldAndIsItsOwn() throws IOException {
        DiskPlace place = new SystemDisk().placeOf(directory);
        DiskPlace beside = new SystemDisk().placeOf(Files.createDirectory(directory.resolve("beside")));

        assertThat(place.fileSystem()).isNotEmpty();
        assertThat(new SystemDisk().placeOf(directory)).isEqualTo(place);
        assertThat(beside).isNotEqualTo(place);
        assertThat(beside.device()).isEqualTo(place.device());
    }

    private static TrialConditions conditions(String options) {
        return TrialConditions.of(
                List.of("direct"),
                new DiskPlace(PLACE.device(), PLACE.fileSystem(), options, PLACE.directory(), PLACE.machine()),
                new Properties());
    }
}
