package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.FILE_BYTES;
import static io.tallystick.store.journal.artemis.ArtemisFixture.image;
import static io.tallystick.store.journal.artemis.ArtemisFixture.onDisk;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.log.commit.PendingAppend;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The room of a journal with files of 64 KiB and an alignment of 1; FramingTest has the formulas. */
class JournalRoomTest {
    private static final int USABLE_BYTES = FILE_BYTES - ArtemisFormat.DATA_OFFSET;
    private static final int OVERHEAD = 23 + 18;

    private ArtemisFixture fixture;
    private JournalRoom room;

    @BeforeEach
    void make() throws IOException {
        fixture = new ArtemisFixture();
        room = fixture.parts.room();
    }

    @Test
    void aCopyIsChargedForItsLengthAloneAndARecordForItsBatchToo() {
        PendingAppend record = image(1, 100);
        PendingAppend copy = PendingAppend.copy(record, record.record());

        assertThat(room.charge(record)).isEqualTo(87 + OVERHEAD + record.recordLength());
        assertThat(room.charge(copy)).isEqualTo(OVERHEAD + (long) record.recordLength());
    }

    @Test
    void roomIsTakenDownToTheFloorAndNotBelow() {
        room.give(1000);

        assertThat(room.tryTake(601, 400)).isFalse();
        assertThat(room.tryTake(600, 400)).isTrue();
        assertThat(room.free()).isEqualTo(400);
    }

    @Test
    void aWriteLeavesMoreThanARemoval() {
        room.filesAre(5);
        long waste = 1000 + 2 * (87 + 1) + 5 * 16;

        assertThat(room.floor(true, 1000)).isEqualTo(3L * FILE_BYTES + 7 * waste);
        assertThat(room.floor(false, 1000))
                .isEqualTo(3L * FILE_BYTES + 7 * waste + 5 * waste + FILE_BYTES + FILE_BYTES / 4);
    }

    @Test
    void theLongestRecordOfAllRaisesTheFloor() {
        room.filesAre(5);
        long before = room.floor(true, 1000);

        room.noteLength(1500);

        assertThat(room.floor(true, 1000)).isEqualTo(before + 7 * 500);
        assertThat(room.floor(true, 1501)).isEqualTo(before + 7 * 501);
    }

    @Test
    void theNumberOfFilesNeverShrinks() {
        room.filesAre(5);
        room.filesAre(3);

        assertThat(room.fileCount()).isEqualTo(5);
        assertThat(room.allFree()).isEqualTo(5L * USABLE_BYTES);
    }

    @Test
    void onAFullDiskACopyLeavesAFileAndElseWhatARemovalLeaves() {
        room.filesAre(5);
        room.noteLength(1000);

        assertThat(room.floorOfCopy(true)).isEqualTo(FILE_BYTES + 1000 + 2 * 88 + 5 * 16);
        assertThat(room.floorOfCopy(false)).isEqualTo(room.floor(true, 1000));
    }

    @Test
    void liveRecordsAreNotAttainable() {
        room.filesAre(5);
        long empty = room.attainable();
        PendingAppend record = image(1, 100);
        fixture.index.put(record.key(), onDisk(record, new DataFile(1, 1), 1));
        fixture.parts.live().bytesAre(record.recordLength());

        assertThat(empty).isEqualTo(5L * (USABLE_BYTES - (2 * 88 + 5 * 16)));
        assertThat(room.attainable()).isEqualTo(empty - record.recordLength() - OVERHEAD);
    }

    @Test
    void aRecordThatBeginsTheNextFileLeavesAFileAndAHalf() {
        assertThat(room.floorOfRecordThatBeginsAFile()).isEqualTo(FILE_BYTES + FILE_BYTES / 2);
    }
}
