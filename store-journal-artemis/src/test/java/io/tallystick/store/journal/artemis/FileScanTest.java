package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FileScanTest {
    private static FileScan scan(Optional<FileHeader> header, long lastSequence) {
        return new FileScan(
                Path.of("/store/tallystick-1.jnl"),
                header,
                ArtemisFormat.DATA_OFFSET,
                lastSequence,
                Map.of(),
                0,
                0,
                0,
                OptionalLong.empty(),
                OptionalLong.empty(),
                lastSequence);
    }

    @Test
    void aFileHasBatchesIfOneHasASequence() {
        assertThat(scan(Optional.empty(), 0).hasBatches()).isFalse();
        assertThat(scan(Optional.empty(), 1).hasBatches()).isTrue();
    }

    @Test
    void theIdIsThatOfTheHeader() {
        assertThat(scan(Optional.of(new FileHeader(9, 0, 0, 65_536)), 0).fileId())
                .isEqualTo(9);
        assertThatThrownBy(() -> scan(Optional.empty(), 0).fileId()).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void theNameIsThatOfTheFileAlone() {
        assertThat(scan(Optional.empty(), 0).name()).isEqualTo("tallystick-1.jnl");
    }
}
