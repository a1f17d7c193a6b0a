package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.DIRECTORY;
import static io.tallystick.store.journal.artemis.ArtemisFixture.FILE_BYTES;
import static io.tallystick.store.journal.artemis.ArtemisFixture.STORE_ID;
import static io.tallystick.store.journal.artemis.ArtemisFixture.file;
import static io.tallystick.store.journal.artemis.ArtemisFixture.key;
import static io.tallystick.store.journal.artemis.ArtemisFixture.record;
import static io.tallystick.store.journal.artemis.ArtemisFixture.removal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.testkit.disk.DiskOperation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an opening finds in a directory, and what it refuses before the journal sees a byte. */
@Timeout(120)
class ArtemisRecoveryTest {
    private static final Path READY = DIRECTORY.resolve(ArtemisFormat.READY_FILE);

    private ArtemisFixture fixture;

    @BeforeEach
    void make() throws IOException {
        fixture = new ArtemisFixture();
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private ArtemisRecovery.Scanned scan() throws IOException {
        return new ArtemisRecovery(fixture.context).scan();
    }

    private void write(int number, JournalFileBytes bytes) throws IOException {
        bytes.writeTo(fixture.simulated, file(number));
    }

    private static JournalFileBytes headed(FileHeader header) {
        return new JournalFileBytes(header, STORE_ID);
    }

    private static JournalFileBytes oneImage() {
        return headed(new FileHeader(1, 0, 0, FILE_BYTES)).batch(1, 2, JournalFileBytes.image(1, record(1, 10)));
    }

    @Test
    void anEmptyDirectoryIsANewJournal() throws IOException {
        ArtemisRecovery.Scanned scanned = scan();

        assertThat(scanned.scans()).isEmpty();
        assertThat(scanned.newest()).isNull();
        assertThat(scanned.fileBytes()).isEqualTo(FILE_BYTES);
    }

    @Test
    void aJournalThatWasReadyAndHasNoFileHasLostThem() throws IOException {
        fixture.simulated.open(READY, OpenMode.CREATE_NEW).close();

        assertThatThrownBy(this::scan)
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("all files of the journal are missing");
    }

    @Test
    void aNameOfAnotherVersionIsRefused() throws IOException {
        fixture.simulated
                .open(DIRECTORY.resolve("tallystick-1.jnl2"), OpenMode.CREATE_NEW)
                .close();

        assertThatThrownBy(this::scan)
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("tallystick-1.jnl2");
    }

    /** The batches that a killed process acknowledged may lie in a file whose name it has not forced. */
    @Test
    void theDirectoryIsForcedBeforeAnythingIsBuiltOnIt() throws IOException {
        scan();

        assertThat(fixture.disk.count(DiskOperation.FORCE_DIRECTORY)).isEqualTo(1);
    }

    @Test
    void aJournalKeepsTheSizeOfItsFiles() throws IOException {
        write(1, headed(new FileHeader(1, 0, 0, 2 * FILE_BYTES)).batch(1, 1));

        assertThat(scan().fileBytes()).isEqualTo(2 * FILE_BYTES);
    }

    @Test
    void filesOfDifferentSizesAreDamaged() throws IOException {
        write(1, headed(new FileHeader(1, 0, 0, FILE_BYTES)).batch(1, 1));
        write(2, headed(new FileHeader(2, 0, 0, 2 * FILE_BYTES)));

        assertThatThrownBy(this::scan)
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("different sizes");
    }

    @Test
    void filesThatAreTooSmallForTheLargestStateAreAConfigurationError() throws IOException {
        write(1, headed(new FileHeader(1, 0, 0, FILE_BYTES / 4)).batch(1, 1));

        assertThatThrownBy(this::scan)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.max-state-size=8192");
    }

    @Test
    void whatTheNewestFileNamesCounts() throws IOException {
        write(1, oneImage());
        write(2, headed(new FileHeader(2, 0, 1, FILE_BYTES)).batch(2, 2, Map.of(1L, 1L)));
        write(3, headed(new FileHeader(3, 0, 1, FILE_BYTES)));

        ArtemisRecovery.Scanned scanned = scan();

        assertThat(scanned.newest().fileId()).isEqualTo(2);
        assertThat(scanned.data()).extracting(FileScan::fileId).containsExactly(1L, 2L);
        assertThat(scanned.newestBatch().path()).isEqualTo(file(2));
    }

    @Test
    void theImagesThatWereNotDeletedFillTheIndex() throws IOException {
        byte[] record = record(2, 20);
        write(
                1,
                headed(new FileHeader(1, 0, 0, FILE_BYTES))
                        .batch(1, 3, JournalFileBytes.image(1, record(1, 10)), JournalFileBytes.image(2, record))
                        .batch(2, 3, JournalFileBytes.deletion(1)));

        fixture.load();

        assertThat(fixture.index).containsOnlyKeys(key(2));
        assertThat(fixture.index.get(key(2)).position()).isEqualTo(2);
        assertThat(fixture.recovered().nextRecordId()).isEqualTo(3);
        assertThat(fixture.recovered().lastSequence()).isEqualTo(2);
        assertThat(fixture.recovered().liveBytes()).isEqualTo(record.length);
        assertThat(fixture.recovered().active().live()).isEqualTo(1);
        assertThat(fixture.simulated.kindOf(READY)).isEqualTo(Disk.PathKind.FILE);
    }

    @Test
    void aKeyThatIsThereTwiceIsDamage() throws IOException {
        write(
                1,
                headed(new FileHeader(1, 0, 0, FILE_BYTES))
                        .batch(
                                1,
                                3,
                                JournalFileBytes.image(1, record(1, 10)),
                                JournalFileBytes.image(2, record(1, 20))));

        assertThatThrownBy(fixture::load)
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("record-id=2")
                .hasMessageContaining("is there beside record-id=1");
    }

    @Test
    void aRecordThatIsNoImageIsDamage() throws IOException {
        write(
                1,
                headed(new FileHeader(1, 0, 0, FILE_BYTES))
                        .batch(1, 2, JournalFileBytes.image(1, removal(1).record())));

        assertThatThrownBy(fixture::load)
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("is no image");
    }

    /** The checksum of the batch fits, so it was damaged before it was written. */
    @Test
    void anImageWhoseOwnChecksumDoesNotFitIsDamage() throws IOException {
        byte[] record = record(1, 10);
        record[record.length - 1] ^= 1;
        write(1, headed(new FileHeader(1, 0, 0, FILE_BYTES)).batch(1, 2, JournalFileBytes.image(1, record)));

        assertThatThrownBy(fixture::load)
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("record-id=1 is damaged");
        assertThat(fixture.index).isEmpty();
    }
}
