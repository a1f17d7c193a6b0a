package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.FILE_BYTES;
import static io.tallystick.store.journal.artemis.ArtemisFixture.image;
import static io.tallystick.store.journal.artemis.ArtemisFixture.removal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.log.commit.AppendChains;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.spi.RecordLog.Batch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The place of a batch, and what is counted when it is on disk. */
@Timeout(120)
class ArtemisLogTest {
    private final RecordingRewriter store = new RecordingRewriter();
    private ArtemisFixture fixture;
    private ArtemisLog log;

    private void open(String io) throws IOException {
        fixture = new ArtemisFixture(new SimulatedDisk(), io);
        log = ArtemisLog.open(fixture.context, fixture.index);
        log.start(store);
    }

    @AfterEach
    void close() throws IOException {
        if (log != null) {
            log.close();
        }
    }

    private Batch written(PendingAppend... appends) throws IOException {
        Batch batch = log.layOut(AppendChains.of(List.of(appends)));
        log.write(batch);
        log.durable(batch, batch.sequence());
        return batch;
    }

    private long lastSequenceOnDisk() throws IOException {
        return new ArtemisRecovery(fixture.context).scan().newest().lastSequence();
    }

    @Test
    void throughThePageCacheABatchBeginsAnywhere() throws IOException {
        open(LogIo.CHANNEL);
        PendingAppend append = image(1, 101);

        Batch batch = written(append);

        assertThat(batch.bytes()).isEqualTo(87 + 23 + append.recordLength());
    }

    @Test
    void pastThePageCacheABatchTakesWholeBlocks() throws IOException {
        open(LogIo.DIRECT);

        assertThat(written(image(1, 101)).bytes()).isEqualTo(SimulatedDisk.DIRECT_ALIGNMENT);
        assertThat(written(image(2, 8000)).bytes()).isEqualTo(2 * SimulatedDisk.DIRECT_ALIGNMENT);
    }

    @Test
    void eachImageGetsAnIdThatNoRecordHadAndARemovalGetsNone() throws IOException {
        open(LogIo.CHANNEL);
        PendingAppend first = image(1, 10);
        PendingAppend second = image(2, 10);
        PendingAppend removal = removal(1);
        removal.supersede(first);
        written(first, second);
        written(removal);

        assertThat(first.position()).isEqualTo(1);
        assertThat(second.position()).isEqualTo(2);
        assertThat(removal.position()).isZero();
    }

    @Test
    void aBatchTakesWhatFitsIntoTheFileAndTheNextOneBeginsAFile() throws IOException {
        open(LogIo.CHANNEL);
        List<PendingAppend> appends = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            appends.add(image(i, 8000));
        }
        Batch batch = log.layOut(AppendChains.of(appends));
        assertThat(batch.count()).isEqualTo(7);
        assertThat(batch.bytes()).isLessThanOrEqualTo(FILE_BYTES - ArtemisFormat.DATA_OFFSET);
        assertThat(((ArtemisBatch) batch).beginsFile()).isFalse();
        log.write(batch);
        log.durable(batch, 1);

        Batch next = log.layOut(batch.rest());

        assertThat(((ArtemisBatch) next).beginsFile()).isTrue();
        assertThat(next.first()).isSameAs(appends.get(7));
        assertThat(next.count()).isEqualTo(3);
        log.write(next);
        log.durable(next, 2);
        assertThat(log.filesInUse()).hasSize(2);
    }

    @Test
    void aRecordIsLiveInItsFileUntilTheNextOneIsOnDisk() throws IOException {
        open(LogIo.CHANNEL);
        PendingAppend first = image(1, 10);
        PendingAppend second = image(1, 10);
        written(first);
        DataFile file = (DataFile) first.home();
        assertThat(file.live()).isEqualTo(1);

        second.supersede(first);
        written(second);
        assertThat(file.live()).isEqualTo(1);

        PendingAppend removal = removal(1);
        removal.supersede(second);
        written(removal);
        assertThat(file.live()).isZero();
        assertThat(removal.record()).isNull();
    }

    @Test
    void aMarkIsWantedOnceBehindEachBatch() throws IOException {
        open(LogIo.CHANNEL);
        assertThat(log.wantsMark()).isFalse();
        written(image(1, 10));
        assertThat(log.wantsMark()).isTrue();

        Batch mark = log.layOutMark();
        log.write(mark);
        log.durable(mark, mark.sequence());

        assertThat(mark.count()).isZero();
        assertThat(log.wantsMark()).isFalse();
    }

    @Test
    void roomThatWasReservedComesBackWhenTheRecordIsNotQueued() throws IOException {
        open(LogIo.CHANNEL);
        PendingAppend append = image(1, 8000);

        for (int i = 0; i < 1000; i++) { // without the refund all room would be gone, and files would be made
            log.reserve(append);
            log.refund(append);
        }

        assertThat(fixture.simulated.list(ArtemisFixture.DIRECTORY)).hasSizeLessThanOrEqualTo(8);
    }

    @Test
    void damageInMemoryIsTold() throws IOException {
        open(LogIo.CHANNEL);
        PendingAppend append = image(1, 100);
        assertThat(log.read(append).committed()).hasSize(100);

        byte[] record = append.record();
        record[record.length - 9] ^= 1;

        assertThatThrownBy(() -> log.read(append))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("damaged in memory");
    }

    @Test
    void anOrderlyCloseLeavesAnEmptyBatchBehindTheLast() throws IOException {
        open(LogIo.CHANNEL);
        written(image(1, 10));

        log.close();
        log = null;

        assertThat(lastSequenceOnDisk()).isEqualTo(2);
    }

    @Test
    void theCloseOfAFailedStoreWritesNothing() throws IOException {
        open(LogIo.CHANNEL);
        written(image(1, 10));
        store.failed = true;

        log.close();
        log = null;

        assertThat(lastSequenceOnDisk()).isEqualTo(1);
    }

    /** A batch may have failed: an empty one behind it would make damage of it. */
    @Test
    void theCloseWritesNothingBehindABatchThatIsNotOnDisk() throws IOException {
        open(LogIo.CHANNEL);
        written(image(1, 10));
        log.layOut(image(2, 10));

        log.close();
        log = null;

        assertThat(lastSequenceOnDisk()).isEqualTo(1);
    }
}
