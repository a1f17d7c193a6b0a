package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.journal.artemis.FullDiskRelocation.Step;
import io.tallystick.store.journal.artemis.room.RoomRequests.Taken;
import org.junit.jupiter.api.Test;

/** The decisions of a relocation on a full disk. */
class FullDiskRelocationTest {
    private final DataFile old = new DataFile(1, 10);
    private final DataFile active = new DataFile(2, 20);

    @Test
    void theOldestFileWithLiveRecordsIsCopied() {
        assertThat(FullDiskRelocation.nextStep(old, active, false, 0)).isEqualTo(Step.COPY);
        assertThat(FullDiskRelocation.nextStep(old, active, true, 0)).isEqualTo(Step.COPY);
    }

    @Test
    void nothingIsCopiedWhereNothingIsLive() {
        assertThat(FullDiskRelocation.nextStep(null, active, false, 9)).isEqualTo(Step.STOP);
    }

    /** One spare file takes the copies, and the next opening needs the other. */
    @Test
    void theActiveFileIsLeftOnceAndOnlyWithTwoSpareFiles() {
        assertThat(FullDiskRelocation.nextStep(active, active, false, 2)).isEqualTo(Step.COPY_AFTER_LEAVING_ACTIVE);
        assertThat(FullDiskRelocation.nextStep(active, active, false, 1)).isEqualTo(Step.STOP);
        assertThat(FullDiskRelocation.nextStep(active, active, true, 2)).isEqualTo(Step.STOP);
    }

    @Test
    void whereNotAllIsAttainableTheRemovalsGetAsMuchAsIs() {
        assertThat(FullDiskRelocation.aim(new Taken(1, 5000, 3000), 5000)).isEqualTo(5000);
        assertThat(FullDiskRelocation.aim(new Taken(1, 5000, 3000), 4999)).isEqualTo(3000);
        assertThat(FullDiskRelocation.aim(new Taken(1, 5000, 3000), 2000)).isEqualTo(2000);
    }
}
