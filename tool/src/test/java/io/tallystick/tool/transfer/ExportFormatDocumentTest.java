package io.tallystick.tool.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/format/export-v1.md says what the code does. */
class ExportFormatDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "format", "export-v1.md");
    private static final Pattern ROW = Pattern.compile("\\| (header|record|closing) \\| `([^`]+)` \\|.*");

    @TempDir
    Path root;

    @Test
    void theTableHasTheNamesOfTheCode() throws IOException {
        List<String> rows = Files.readAllLines(DOCUMENT).stream()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> row.group(1) + " " + row.group(2))
                .toList();

        assertThat(rows)
                .containsExactly(
                        "header " + ExportFormat.EXPORT,
                        "header " + ExportFormat.KIND,
                        "header " + ExportFormat.STORE,
                        "record " + ExportFormat.TYPE,
                        "record " + ExportFormat.ID,
                        "record " + ExportFormat.COMMITTED,
                        "record " + ExportFormat.SHADOW,
                        "record " + ExportFormat.HIDDEN,
                        "closing " + ExportFormat.RECORDS,
                        "closing " + ExportFormat.CHECKSUM);
    }

    @Test
    void theExampleIsReadAndWrittenAgainAsItStands() throws IOException {
        String example =
                Files.readString(DOCUMENT).split("## Example\n\n```\n")[1].split("```")[0];
        Path file = Files.writeString(root.resolve("example.jsonl"), example);
        Map<StateKey, StateImage> records = new LinkedHashMap<>();

        ExportReader.read(file, ExportReader.Reading.FIRST, records::put);

        ByteArrayOutputStream again = new ByteArrayOutputStream();
        ExportWriter writer = new ExportWriter(again, "file-v1", "0d9f4c0e-2a52-4d39-bb33-5c8d1f8e6f11");
        for (Map.Entry<StateKey, StateImage> record : records.entrySet()) {
            writer.record(record.getKey(), record.getValue());
        }
        writer.finish();
        assertThat(again.toString(StandardCharsets.UTF_8)).isEqualTo(example);
    }
}
