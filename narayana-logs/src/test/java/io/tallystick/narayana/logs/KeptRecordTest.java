package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kept record is an export that `tallystick import` takes; the tool's tests import one. */
class KeptRecordTest {
    private static final Instant NOW = Instant.parse("2026-11-27T03:12:45.9Z");
    private static final ObjectId UID =
            NarayanaUid.parse("0:ffff7f000001:8f3b:6566a5e2:12", ':').orElseThrow();

    @TempDir
    private Path directory;

    private Path keep(String type, StateImage image) throws IOException {
        return new KeptRecord(new SystemDisk(), directory).keep("journal", "id", StateKey.of(type, UID), image, NOW);
    }

    @Test
    void theNameTellsTheTimeAndTheTransactionInAnyLocale() throws IOException {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("fa-IR-u-nu-arabext"));
        try {
            assertThat(keep("/A", StateImage.of(new byte[] {1}, null, false)))
                    .hasFileName("2026-11-27T03-12-45Z-forget-0_ffff7f000001_8f3b_6566a5e2_12.jsonl");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void allValuesAreKeptAndCovered() throws IOException {
        Path file = keep("/A\"\\\u00e9", StateImage.of(new byte[] {1}, new byte[] {2, 3}, true));

        List<String> lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).isEqualTo("{\"tallystick-export\":1,\"kind\":\"journal\",\"store\":\"id\"}");
        assertThat(lines.get(1))
                .contains("\"type\":\"/A\\u0022\\u005c\\u00e9\"", "\"committed\":\"AQ==\"", "\"shadow\":\"AgM=\"")
                .endsWith(",\"hidden\":true}");
        CRC32C crc = new CRC32C();
        crc.update((lines.get(0) + '\n' + lines.get(1) + '\n').getBytes(StandardCharsets.US_ASCII));
        assertThat(lines.get(2))
                .isEqualTo("{\"records\":1,\"crc32c\":\"" + HexFormat.of().toHexDigits((int) crc.getValue()) + "\"}");
    }

    @Test
    void aValueThatIsNotThereIsNotKept() throws IOException {
        String text = Files.readString(keep("/A", StateImage.of(null, new byte[] {2}, false)));
        assertThat(text).contains("\"shadow\"").doesNotContain("committed", "hidden");
    }

    @Test
    void aRecordThatWasKeptIsNeverReplaced() throws IOException {
        Path first = keep("/A", StateImage.of(new byte[] {1}, null, false));
        String text = Files.readString(first);
        assertThatExceptionOfType(FileAlreadyExistsException.class)
                .isThrownBy(() -> keep("/A", StateImage.of(new byte[] {2}, null, false)));
        assertThat(first).hasContent(text);
    }
}
