package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.ArtemisFixture.DIRECTORY;
import static io.tallystick.store.journal.artemis.ArtemisFixture.image;
import static io.tallystick.store.journal.artemis.ArtemisFixture.removal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.StoreFullException;
import io.tallystick.store.log.commit.PendingAppend;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which record gets room at once, which one waits for it, and which one is refused. */
@Timeout(120)
class AdmissionControlTest {
    private ArtemisFixture fixture;
    private JournalRoom room;
    private AdmissionControl admission;

    @BeforeEach
    void load() throws IOException {
        fixture = new ArtemisFixture().load();
        room = fixture.parts.room();
        admission = new AdmissionControl(DIRECTORY, room, fixture.parts.dataFiles(), fixture.housekeeper());
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private void leaveRoom(long bytes) {
        room.give(bytes - room.free());
    }

    @Test
    void aRecordTakesItsChargeAndIsRemembered() {
        PendingAppend record = image(1, 1000);
        long before = room.free();

        admission.admit(record);

        assertThat(room.free()).isEqualTo(before - room.charge(record));
        assertThat(fixture.parts.live().longest()).isEqualTo(record.recordLength());
    }

    /** The housekeeper queues copies itself, so no thread could make room for one that waits. */
    @Test
    void aCopyIsRefusedAtOnceWhereItWouldWait() {
        PendingAppend record = image(1, 1000);
        PendingAppend copy = PendingAppend.copy(record, record.record());
        leaveRoom(room.floorOfCopy(false) + room.charge(copy) - 1);

        assertThatThrownBy(() -> admission.admit(copy))
                .isInstanceOf(StoreFullException.class)
                .hasMessageContaining("too little room to carry records along");
        room.give(1);
        admission.admit(copy);

        assertThat(room.free()).isEqualTo(room.floorOfCopy(false));
    }

    @Test
    void aWriteWaitsUntilAnotherFileIsMade() {
        PendingAppend record = image(1, 1000);
        leaveRoom(0);
        long files = room.fileCount();

        admission.admit(record);

        assertThat(room.fileCount()).isGreaterThan(files);
    }

    @Test
    void aWriteIsRefusedWhereTheDiskTakesNoFile() {
        fixture.simulated.setCapacity(1);
        leaveRoom(0);

        assertThatThrownBy(() -> admission.admit(image(1, 1000)))
                .isInstanceOf(StoreFullException.class)
                .hasMessageContaining("nothing was written");
        assertThat(room.free()).isZero();
        assertThat(fixture.parts.live().longest()).isZero();
        assertThat(room.nextFile().tryClaim()).isTrue(); // no claim is left behind
    }

    @Test
    void whereNothingIsLiveARemovalMayBeginTheNextFile() {
        PendingAppend removal = removal(1);
        fixture.simulated.setCapacity(1);
        leaveRoom(room.floorOfRecordThatBeginsAFile() + room.charge(removal));

        admission.admit(removal);

        assertThat(room.free()).isEqualTo(room.floorOfRecordThatBeginsAFile());
        assertThat(room.nextFile().take()).isTrue();
        assertThat(room.nextFile().tryClaim()).isFalse();
    }

    @Test
    void whereARecordIsLiveARemovalDoesNotBeginTheNextFile() {
        DataFile file = new DataFile(1, 1);
        file.becameLive();
        fixture.parts.dataFiles().add(file);
        fixture.simulated.setCapacity(1);
        leaveRoom(room.floorOfRecordThatBeginsAFile() + room.charge(removal(1)));

        assertThatThrownBy(() -> admission.admit(removal(1))).isInstanceOf(StoreFullException.class);
        assertThat(room.nextFile().take()).isFalse();
    }

    /** The queue is sealed then, and refuses the record with the reason. */
    @Test
    void aClosedJournalAdmitsWhatTheQueueWillRefuse() {
        PendingAppend record = image(1, 1000);
        fixture.housekeeper().close();
        leaveRoom(0);

        admission.admit(record);

        assertThat(room.free()).isEqualTo(-room.charge(record));
    }
}
