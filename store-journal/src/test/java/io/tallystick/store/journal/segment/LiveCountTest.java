package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In whatever order batches land, no segment seems to hold less than what recovery would need of it. */
class LiveCountTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final byte[] STORE_ID = new byte[16];

    private SegmentedLog log;

    @BeforeEach
    void open() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        disk.createDirectory(DIRECTORY);
        JournalOptions options = JournalOptions.from(
                JournalStores.small(DIRECTORY, "segmented", "direct").build());
        LogIo io = LogIo.find(LogIo.DIRECT, disk, DIRECTORY).io().orElseThrow();
        JournalContext context = new JournalContext(
                options,
                new JournalContext.Home(DIRECTORY, STORE_ID),
                io,
                NanoClock.SYSTEM,
                new StatisticsRecorder(StoreEvents.flightRecorder("test")));
        log = SegmentedLog.open(context, new ConcurrentHashMap<>());
    }

    @AfterEach
    void close() throws IOException {
        log.close();
    }

    @Test
    void aRemovalThatLandsBeforeWhatItRemovesTakesNoOtherRecordFromTheCount() throws IOException {
        PendingAppend late = image(1);
        PendingAppend kept = image(2);
        RecordLog.Batch lateBatch = written(late);
        RecordLog.Batch keptBatch = written(kept);
        RecordLog.Batch removalBatch = written(removalOf(late));
        Segment segment = (Segment) kept.home();

        log.durable(keptBatch, 0);
        log.durable(removalBatch, 0);
        assertThat(segment.liveRecords()).isEqualTo(1);
        assertThat(segment.liveBytes()).isEqualTo(kept.recordLength());

        log.durable(lateBatch, removalBatch.sequence());
        assertThat(segment.liveRecords()).isEqualTo(1);
        assertThat(segment.liveBytes()).isEqualTo(kept.recordLength());
    }

    @Test
    void aRecordIsLiveBeforeItsBatchLands() throws IOException {
        PendingAppend first = image(1);
        written(first);
        assertThat(((Segment) first.home()).liveRecords()).isEqualTo(1);
    }

    private RecordLog.Batch written(PendingAppend append) throws IOException {
        log.reserve(append);
        RecordLog.Batch batch = log.layOut(append);
        log.write(batch);
        return batch;
    }

    private static PendingAppend image(int number) {
        StateKey key = StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
        return append(key, StateImage.ABSENT.write(new byte[100]));
    }

    private static PendingAppend removalOf(PendingAppend version) {
        PendingAppend removal = append(version.key(), StateImage.ABSENT);
        removal.supersede(version);
        return removal;
    }

    private static PendingAppend append(StateKey key, StateImage image) {
        return PendingAppend.of(key, image, new RecordEncoder(STORE_ID).encode(key, image), false);
    }
}
