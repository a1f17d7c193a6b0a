package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.journal.JournalEngine;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.log.spi.RecordLog;
import java.io.IOException;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class ArtemisEngineTest {
    @Test
    void theEngineIsFoundByItsName() {
        assertThat(ServiceLoader.load(JournalEngine.class))
                .filteredOn(engine -> engine.name().equals("artemis"))
                .singleElement()
                .isInstanceOf(ArtemisEngine.class);
    }

    @Test
    void itTakesEveryWayToTheDisk() {
        assertThat(new ArtemisEngine().supportedIo()).containsExactly(LogIo.CHANNEL, LogIo.DIRECT, "aio", "uring");
    }

    @Test
    void itOpensTheLogOfAnEmptyDirectory() throws IOException {
        try (ArtemisFixture fixture = new ArtemisFixture()) {
            ArtemisEngine engine = new ArtemisEngine();
            engine.checkUsable();
            RecordLog log = engine.open(fixture.context, fixture.index);

            assertThat(log.writesInFlight()).isEqualTo(1);
            assertThat(log.filesInUse()).isEmpty();
            log.close();
        }
    }
}
