package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in slots, as Narayana would take it; what Narayana passes over is told. */
class SlotSourceTest {
    private static final byte[] UID =
            NarayanaUid.parse("0:1:2:3:4", ':').map(ObjectId::toBytes).orElseThrow();

    private final Findings findings = new Findings();

    @TempDir
    private Path directory;

    private List<SourceState> states() throws IOException {
        List<SourceState> states = new ArrayList<>();
        new SlotSource(new SystemDisk(), directory).read(states::add, findings);
        return states;
    }

    private void put(int slot, byte[] file) throws IOException {
        Files.write(directory.resolve("slot." + slot), file);
    }

    private static byte[] record(int status, byte... state) {
        return new PackedBytes()
                .array(UID)
                .text("/A/B")
                .number(status)
                .text("name")
                .array(UID)
                .array(state)
                .toBytes();
    }

    @Test
    void aRecordIsFoundWhateverLiesBehindIt() throws IOException {
        put(3, PackedBytes.slot(record(NarayanaValues.COMMITTED, (byte) 9), 100));

        assertThat(states()).singleElement().satisfies(state -> {
            assertThat(state.key().type()).isEqualTo("/A/B");
            assertThat(state.image().committed()).containsExactly(9);
        });
        assertThat(findings.damages()).isEmpty();
    }

    @Test
    void freeSlotsAndOtherFilesAreNothing() throws IOException {
        put(1, new byte[0]);
        put(2, new byte[7]);
        put(3, new byte[64]);
        Files.write(directory.resolve("slot.x"), PackedBytes.slot(record(NarayanaValues.COMMITTED, (byte) 9), 0));

        assertThat(states()).isEmpty();
        assertThat(findings.damages()).isEmpty();
    }

    @Test
    void theSlotWithTheHigherNumberIsTakenAndTold() throws IOException {
        put(2, PackedBytes.slot(record(NarayanaValues.COMMITTED, (byte) 2), 0));
        put(10, PackedBytes.slot(record(NarayanaValues.COMMITTED, (byte) 10), 0));

        assertThat(states())
                .singleElement()
                .satisfies(state -> assertThat(state.image().committed()).containsExactly(10));
        assertThat(findings.remarks())
                .singleElement()
                .extracting(Findings.Finding::place)
                .asString()
                .endsWith("slot.10");
    }

    @Test
    void whatNarayanaTakesForFreeIsDamage() throws IOException {
        byte[] record = record(NarayanaValues.COMMITTED, (byte) 9);
        byte[] torn = PackedBytes.slot(record, 0);
        torn[torn.length - 1]++;
        put(1, torn);
        put(
                2,
                ByteBuffer.wrap(PackedBytes.slot(record, 0))
                        .putInt(0, record.length + 1)
                        .array());
        put(3, ByteBuffer.wrap(PackedBytes.slot(record, 0)).putInt(0, -1).array());
        put(4, PackedBytes.slot(record(8, (byte) 9), 0));
        put(5, PackedBytes.slot(new byte[] {1, 2, 3}, 0));

        assertThat(states()).isEmpty();
        assertThat(findings.damages())
                .extracting(finding -> finding.text().replaceAll(".*?(checksum|fit|status|malformed).*", "$1"))
                .containsExactly("checksum", "fit", "fit", "status", "malformed");
    }
}
