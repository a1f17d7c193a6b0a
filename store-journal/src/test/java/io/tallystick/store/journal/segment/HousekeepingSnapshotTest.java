package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.journal.segment.HousekeepingSnapshot.OldestSegment;
import io.tallystick.store.journal.segment.HousekeepingSnapshot.RoomCounts;
import io.tallystick.store.journal.segment.HousekeepingSnapshot.SegmentCounts;
import io.tallystick.store.journal.segment.HousekeepingSnapshot.Step;
import org.junit.jupiter.api.Test;

class HousekeepingSnapshotTest {
    private static final int SEGMENTS = 8;
    private static final long SEGMENT_BYTES = 1000;

    private boolean closed;
    private int spares = 2;
    private long room = 500;
    private long wantedRoom;
    private long live = 2000;
    private long attainable = 3000;
    private OldestSegment oldest = oldest(true, 4, 200, true);

    private static OldestSegment oldest(boolean isOnDisk, int records, long bytes, boolean hasCurrentSize) {
        return new OldestSegment(isOnDisk, records, bytes, SEGMENT_BYTES, hasCurrentSize);
    }

    private HousekeepingSnapshot snapshot() {
        return new HousekeepingSnapshot(
                closed,
                new SegmentCounts(SEGMENTS, spares, live, 6 * SEGMENT_BYTES),
                new RoomCounts(room, wantedRoom, 2500, attainable),
                oldest);
    }

    @Test
    void enoughSparesAndRoomMeanRest() {
        spares = HousekeepingSnapshot.SPARES;
        wantedRoom = room;

        assertThat(snapshot().nextStep(0)).isEqualTo(Step.REST);
    }

    @Test
    void nothingIsDoneForAStoreThatIsBeingClosed() {
        closed = true;

        assertThat(snapshot().nextStep(0)).isEqualTo(Step.REST);
        assertThat(snapshot().wouldCarryingGain(0)).isFalse();
    }

    @Test
    void callersThatWantRoomAreReasonEnough() {
        spares = HousekeepingSnapshot.SPARES;
        wantedRoom = room + 1;

        assertThat(snapshot().nextStep(0)).isEqualTo(Step.MOVE);
    }

    @Test
    void aDeadSegmentIsRecycledEvenWhereMostIsLive() {
        live = 5000;
        oldest = oldest(true, 0, 0, true);

        assertThat(snapshot().nextStep(0)).isEqualTo(Step.RECYCLE);
    }

    @Test
    void aSegmentWhoseLastBatchesAreOnTheirWayIsNeverRecycled() {
        oldest = oldest(false, 0, 0, true);

        assertThat(snapshot().isOldestLanding()).isTrue();
        assertThat(snapshot().nextStep(0)).isEqualTo(Step.GROW);
    }

    @Test
    void aLogWithoutAFullSegmentGrows() {
        oldest = null;

        assertThat(snapshot().isOldestLanding()).isFalse();
        assertThat(snapshot().nextStep(0)).isEqualTo(Step.GROW);
    }

    @Test
    void aLogThatIsMostlyLiveGrows() {
        live = 3000;
        assertThat(snapshot().nextStep(0)).isEqualTo(Step.MOVE);

        live = 3001;
        assertThat(snapshot().nextStep(0)).isEqualTo(Step.GROW);
    }

    @Test
    void aSegmentThatIsHardlyDeadStaysWhereItIs() {
        oldest = oldest(true, 4, 750, true);
        assertThat(snapshot().nextStep(0)).isEqualTo(Step.MOVE);

        oldest = oldest(true, 4, 751, true);
        assertThat(snapshot().nextStep(0)).isEqualTo(Step.GROW);
    }

    @Test
    void movingEndsWhenEverySegmentWasMovedOnce() {
        assertThat(snapshot().nextStep(SEGMENTS)).isEqualTo(Step.MOVE);
        assertThat(snapshot().nextStep(SEGMENTS + 1)).isEqualTo(Step.GROW);
    }

    @Test
    void nothingIsMovedThatCannotGiveTheWantedRoom() {
        wantedRoom = attainable + 1;

        assertThat(snapshot().nextStep(0)).isEqualTo(Step.GROW);
    }

    @Test
    void aFileOfAnotherSizeIsMovedOutToBeReplacedWhateverItGives() {
        wantedRoom = attainable + 1;
        oldest = oldest(true, 4, 200, false);

        assertThat(snapshot().nextStep(SEGMENTS + 1)).isEqualTo(Step.MOVE);
    }

    @Test
    void carryingGainsUntilThereIsTheWantedRoomAndThatOfRemovals() {
        assertThat(snapshot().wouldCarryingGain(2 * SEGMENTS)).isTrue();
        assertThat(snapshot().wouldCarryingGain(2 * SEGMENTS + 1)).isFalse();

        room = 2500;
        assertThat(snapshot().wouldCarryingGain(0)).as("a removal has its room").isFalse();

        wantedRoom = 2501;
        assertThat(snapshot().wouldCarryingGain(0)).isTrue();

        wantedRoom = attainable + 1;
        assertThat(snapshot().wouldCarryingGain(0)).as("too little is dead").isFalse();
    }
}
