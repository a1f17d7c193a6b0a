package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.image;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ArtemisBatchTest {
    @Test
    void theHeaderHasThePlaceThatTheBatchGot() {
        DataFile file = new DataFile();
        Map<Long, Long> files = Map.of(3L, 30L, 4L, 40L);
        ArtemisBatch batch = new ArtemisBatch(
                41,
                new ArtemisBatch.Contents(image(1, 10), 1, null, 300, 2),
                new ArtemisBatch.Place(file, true, files, 4096, 512),
                12);

        assertThat(batch.header(7)).isEqualTo(new BatchHeader(300, 2, 7, 4096, 41, 12, files));
        assertThat(batch.headerBytes()).isEqualTo(87 + 2 * 16);
        assertThat(batch.bytes()).isEqualTo(512);
        assertThat(batch.file()).isSameAs(file);
        assertThat(batch.beginsFile()).isTrue();
    }
}
