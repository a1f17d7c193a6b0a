package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.DIRECTORY;
import static io.tallystick.store.journal.artemis.ArtemisFixture.FILE_BYTES;
import static io.tallystick.store.journal.artemis.ArtemisFixture.STORE_ID;
import static io.tallystick.store.journal.artemis.ArtemisFixture.file;
import static io.tallystick.store.journal.artemis.ArtemisFixture.key;
import static io.tallystick.store.journal.artemis.ArtemisFixture.record;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.OpenMode;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.inspect.RecordOnDisk;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile.Role;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a look into a journal finds, sound or damaged. */
class ArtemisReadingTest {
    private final SimulatedDisk disk = new SimulatedDisk();
    private final JournalFileBytes first = new JournalFileBytes(new FileHeader(1, 0, 0, FILE_BYTES), STORE_ID)
            .batch(1, 3, JournalFileBytes.image(1, record(1, 10)), JournalFileBytes.image(2, record(2, 20)));

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory(DIRECTORY);
    }

    private ArtemisReading read(byte[] storeIdOrNull) throws IOException {
        ArtemisReading reading = new ArtemisReading(disk, DIRECTORY, storeIdOrNull);
        reading.read();
        return reading;
    }

    private static List<StateKey> keys(ArtemisReading reading) {
        return reading.records().stream().map(RecordOnDisk::key).toList();
    }

    private static List<Damage.Kind> kinds(ArtemisReading reading) {
        return reading.damages().stream().map(Damage::kind).toList();
    }

    private void touch(String name) throws IOException {
        disk.open(DIRECTORY.resolve(name), OpenMode.CREATE_NEW).close();
    }

    @Test
    void anEmptyDirectoryIsSoundUntilItWasReady() throws IOException {
        assertThat(read(STORE_ID).damages()).isEmpty();

        touch(ArtemisFormat.READY_FILE);

        assertThat(kinds(read(STORE_ID))).containsExactly(Damage.Kind.MISSING);
    }

    @Test
    void aReadyJournalWithFilesIsSound() throws IOException {
        touch(ArtemisFormat.READY_FILE);
        first.writeTo(disk, file(1));

        ArtemisReading reading = read(STORE_ID);

        assertThat(reading.damages()).isEmpty();
        assertThat(keys(reading)).containsExactlyInAnyOrder(key(1), key(2));
        assertThat(reading.fileBytes()).hasValue((long) FILE_BYTES);
    }

    @Test
    void whatWasDeletedIsNotThere() throws IOException {
        first.batch(2, 3, JournalFileBytes.deletion(1)).writeTo(disk, file(1));

        assertThat(keys(read(STORE_ID))).containsExactly(key(2));
    }

    @Test
    void theStoresIdIsFoundInTheHeaders() throws IOException {
        first.writeTo(disk, file(1));

        ArtemisReading reading = read(null);

        assertThat(reading.storeId()).hasValue(STORE_ID);
        assertThat(keys(reading)).hasSize(2);
    }

    @Test
    void withoutAHeaderThereIsNoId() throws IOException {
        touch("tallystick-1.jnl");

        assertThat(read(null).storeId()).isEmpty();
    }

    @Test
    void strangersAreNoted() throws IOException {
        touch("tallystick-x.jnl");

        assertThat(kinds(read(STORE_ID))).containsExactly(Damage.Kind.STRANGER);
    }

    @Test
    void eachFileHasItsRole() throws IOException {
        first.writeTo(disk, file(1));
        new JournalFileBytes(new FileHeader(2, 0, 0, FILE_BYTES), STORE_ID).writeTo(disk, file(2));

        ArtemisReading reading = read(STORE_ID);

        assertThat(reading.roleOf(file(1))).hasValue(Role.DATA);
        assertThat(reading.roleOf(file(2))).hasValue(Role.SPARE);
        assertThat(reading.roleOf(DIRECTORY.resolve(ArtemisFormat.READY_FILE))).hasValue(Role.MARKER);
        assertThat(reading.roleOf(DIRECTORY.resolve("tallystick-3.jnl.tmp"))).hasValue(Role.LEFTOVER);
        assertThat(reading.roleOf(DIRECTORY.resolve("notes.txt"))).isEmpty();
        assertThat(reading.remark(file(1))).isEqualTo("file-id=1 last-sequence=1");
        assertThat(reading.remark(file(2))).isEqualTo("file-id=2");
        assertThat(reading.remark(file(3))).isEmpty();
    }

    @Test
    void aTornEndIsIgnoredAndNoDamage() throws IOException {
        int end = first.end();
        first.batch(2, 4, JournalFileBytes.image(3, record(3, 10)));
        first.flip(first.end() - 1).writeTo(disk, file(1));

        ArtemisReading reading = read(STORE_ID);

        assertThat(reading.damages()).isEmpty();
        assertThat(reading.ignoredAt(file(1))).hasValue(end);
        assertThat(keys(reading)).containsExactlyInAnyOrder(key(1), key(2));
    }

    @Test
    void wholeBatchesBehindABrokenOneAreReadAndSoAreItsImages() throws IOException {
        int second = first.end();
        first.batch(2, 4, JournalFileBytes.image(3, record(3, 10)));
        first.batch(3, 5, JournalFileBytes.image(4, record(4, 10)));
        first.flip(second + ArtemisFormat.BATCH_CRC_OFFSET).writeTo(disk, file(1));

        ArtemisReading reading = read(STORE_ID);

        assertThat(kinds(reading)).containsOnly(Damage.Kind.BATCH);
        assertThat(keys(reading)).containsExactlyInAnyOrder(key(1), key(2), key(3), key(4));
        assertThat(reading.ignoredAt(file(1))).isEmpty();
    }

    /** The deletion of the earlier image may be lost with a batch. */
    @Test
    void inADamagedJournalTheLaterImageOfAKeyCounts() throws IOException {
        touch("tallystick-x.jnl");
        byte[] later = record(1, 99);
        first.batch(2, 4, JournalFileBytes.image(3, later)).writeTo(disk, file(1));

        ArtemisReading reading = read(STORE_ID);

        assertThat(keys(reading)).containsExactlyInAnyOrder(key(1), key(2));
        assertThat(kinds(reading)).containsExactly(Damage.Kind.STRANGER);
    }

    @Test
    void twoImagesOfAKeyAreDamage() throws IOException {
        first.batch(2, 4, JournalFileBytes.image(3, record(1, 99))).writeTo(disk, file(1));

        assertThat(kinds(read(STORE_ID))).containsExactly(Damage.Kind.RECORD);
    }

    @Test
    void anImageWhoseOwnChecksumDoesNotFitIsDamage() throws IOException {
        byte[] bad = record(3, 10);
        bad[bad.length - 1] ^= 1;
        first.batch(2, 4, JournalFileBytes.image(3, bad)).writeTo(disk, file(1));

        ArtemisReading reading = read(STORE_ID);

        assertThat(kinds(reading)).containsExactly(Damage.Kind.RECORD);
        assertThat(keys(reading)).containsExactlyInAnyOrder(key(1), key(2));
    }

    @Test
    void filesOfDifferentSizesAreDamage() throws IOException {
        first.writeTo(disk, file(1));
        new JournalFileBytes(new FileHeader(2, 0, 0, 2 * FILE_BYTES), STORE_ID)
                .batch(2, 3, Map.of(1L, 1L))
                .writeTo(disk, file(2));

        ArtemisReading reading = read(STORE_ID);

        assertThat(kinds(reading)).containsExactly(Damage.Kind.HEADER);
        assertThat(reading.fileBytes()).hasValue(2L * FILE_BYTES);
    }

    /** No whole batch is left in it, but the newest file proves that there was one. */
    @Test
    void imagesOfAFileWhoseOnlyBatchIsBrokenAreReadIfTheNewestFileNamesIt() throws IOException {
        first.flip(ArtemisFormat.DATA_OFFSET + ArtemisFormat.BATCH_CRC_OFFSET).writeTo(disk, file(1));
        new JournalFileBytes(new FileHeader(2, 0, 0, FILE_BYTES), STORE_ID)
                .batch(2, 3, Map.of(1L, 1L))
                .writeTo(disk, file(2));

        ArtemisReading reading = read(STORE_ID);

        assertThat(kinds(reading)).containsExactly(Damage.Kind.BATCH);
        assertThat(keys(reading)).containsExactlyInAnyOrder(key(1), key(2));
    }
}
