package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.image;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A batch is written as it was laid out, or the caller hears of it. */
@Timeout(120)
class BatchWriterTest {
    private ArtemisFixture fixture;
    private BatchWriter writer;
    private DataFile active;

    @BeforeEach
    void load() throws IOException {
        fixture = new ArtemisFixture().load();
        writer = new BatchWriter(fixture.recovered().journal(), fixture.parts, fixture.housekeeper());
        active = fixture.recovered().active();
        fixture.disk.clearLog();
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private FileScan scan() throws IOException {
        return new FileScanner(
                        fixture.disk,
                        ArtemisFixture.STORE_ID,
                        FileScanner.Use.INSPECTION,
                        (file, offset, kind, reason) -> {})
                .scan(fixture.factory.active().path());
    }

    @Test
    void aBatchIsOnDiskWhenItIsWritten() throws IOException {
        ArtemisBatch batch = fixture.batch(active, 1, ArtemisFormat.DATA_OFFSET, image(1, 100));

        writer.write(batch);

        assertThat(scan().lastSequence()).isEqualTo(1);
        assertThat(scan().adds()).isEqualTo(1);
        assertThat(scan().end()).isEqualTo(ArtemisFormat.DATA_OFFSET + batch.length());
        assertThat(fixture.disk.count(DiskOperation.WRITE)).isEqualTo(1);
        assertThat(fixture.disk.count(DiskOperation.FORCE)).isEqualTo(1);
        assertThat(fixture.parts.dataFiles().newest()).isSameAs(active);
        assertThat(active.fileId()).isEqualTo(scan().fileId());
    }

    @Test
    void theNextImageDeletesTheOneBefore() throws IOException {
        PendingAppend first = image(1, 100);
        PendingAppend second = image(1, 200);
        ArtemisBatch before = fixture.batch(active, 1, ArtemisFormat.DATA_OFFSET, first);
        writer.write(before);
        second.supersede(first);

        writer.write(fixture.batch(active, 2, ArtemisFormat.DATA_OFFSET + before.length(), second));

        assertThat(scan().lastSequence()).isEqualTo(2);
        assertThat(scan().deletes()).isEqualTo(1);
    }

    @Test
    void nothingIsWrittenOfABatchOfAnotherLength() {
        PendingAppend append = image(1, 100);
        ArtemisBatch batch = fixture.batch(active, 1, ArtemisFormat.DATA_OFFSET, 1, append);

        assertThatThrownBy(() -> writer.write(batch))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("batch 1 has " + (batch.length() - 1) + " bytes, not the " + batch.length());
        assertThat(fixture.disk.count(DiskOperation.WRITE)).isZero();
    }

    @Test
    void nothingIsWrittenInAnotherPlaceThanTheJournals() {
        ArtemisBatch batch = fixture.batch(active, 1, ArtemisFormat.DATA_OFFSET + 512, image(1, 100));

        assertThatThrownBy(() -> writer.write(batch)).isInstanceOf(IOException.class);
        assertThat(fixture.disk.count(DiskOperation.WRITE)).isZero();
    }

    @Test
    void nothingIsWrittenAfterAFailure() {
        fixture.parts.failure().note(new IOException("thrown by the test"));

        assertThatThrownBy(() -> writer.write(fixture.batch(active, 1, ArtemisFormat.DATA_OFFSET, image(1, 100))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("thrown by the test");
        assertThat(fixture.disk.count(DiskOperation.WRITE)).isZero();
    }

    @Test
    void anErrorOfTheDiskIsThrown() {
        fixture.disk.inject(DiskFault.in(DiskOperation.FORCE).failingWith(DiskFault.EIO));

        assertThatThrownBy(() -> writer.write(fixture.batch(active, 1, ArtemisFormat.DATA_OFFSET, image(1, 100))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(DiskFault.EIO);
    }

    @Test
    void aBatchMayBeginTheNextFile() throws IOException {
        writer.write(fixture.batch(active, 1, ArtemisFormat.DATA_OFFSET, image(1, 100)));
        DataFile next = new DataFile();

        writer.write(fixture.batchThatBegins(next, 2, Map.of(active.fileId(), 1L), image(2, 100)));

        assertThat(scan().lastSequence()).isEqualTo(2);
        assertThat(scan().files()).isEqualTo(Map.of(active.fileId(), 1L));
        assertThat(next.fileId()).isGreaterThan(active.fileId());
        assertThat(fixture.parts.files().rolls()).isEqualTo(1);
        assertThat(fixture.parts.dataFiles().count()).isEqualTo(2);
    }

    @Test
    void anInterruptDoesNoHarmAndIsNotLost() throws IOException {
        Thread.currentThread().interrupt();

        writer.write(fixture.batch(active, 1, ArtemisFormat.DATA_OFFSET, image(1, 100)));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(scan().lastSequence()).isEqualTo(1);
    }

    @Test
    void noInterruptIsMadeUp() throws IOException {
        writer.write(fixture.batch(active, 1, ArtemisFormat.DATA_OFFSET, image(1, 100)));

        assertThat(Thread.interrupted()).isFalse();
    }
}
