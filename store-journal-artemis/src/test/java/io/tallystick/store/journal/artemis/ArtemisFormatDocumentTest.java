package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.FormatDocumentContract;
import io.tallystick.store.journal.GoldenFiles;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArtemisFormatDocumentTest extends FormatDocumentContract {
    ArtemisFormatDocumentTest() {
        super("journal-artemis-v1.md", ArtemisGoldenStore.RESOURCE, ArtemisFormat.class);
    }

    @Override
    protected Map<StateKey, StateImage> images() {
        return ArtemisGoldenStore.images();
    }

    @Override
    protected StoreConfiguration.Builder configuration() {
        return JournalStores.small(golden, "artemis", "channel")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, (long) ArtemisGoldenStore.FILE_BYTES)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    @Override
    protected String dump() throws IOException {
        byte[] file = Files.readAllBytes(golden.resolve(ArtemisGoldenStore.FILE));
        return GoldenFiles.dump(file, 0, ArtemisFormat.HEADER_BYTES) + "...\n"
                + GoldenFiles.dump(file, ArtemisFormat.DATA_OFFSET, ArtemisGoldenStore.firstBatchBytes());
    }

    @Test
    void theGoldenFileIsWhatTheCodeWrites() throws Exception {
        assertThat(Files.readAllBytes(golden.resolve(ArtemisGoldenStore.FILE)))
                .isEqualTo(new ArtemisGoldenStore().file());
    }
}
