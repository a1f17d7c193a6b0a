package io.tallystick.store.journal.segment;

import static io.tallystick.store.journal.segment.SegmentFixture.BLOCK;
import static io.tallystick.store.journal.segment.SegmentFixture.PLAN;
import static io.tallystick.store.journal.segment.SegmentFixture.SEGMENT_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The reserves follow the number of segments and the longest record. */
class CurrentReservesTest {
    private static final int SEGMENTS = 4;
    private static final int LONGEST = 1000;
    /** A segment of 64 KiB is carried in two portions. */
    private static final long PORTIONS = 2;

    private static final long BATCH_BYTES = SegmentFormat.BATCH_HEADER_BYTES + BLOCK;

    private final ReentrantLock lock = new ReentrantLock();
    private final CurrentReserves reserves = new CurrentReserves(lock, PLAN, LONGEST, SEGMENTS);

    private static long waste(long longest) {
        return longest + PORTIONS * BATCH_BYTES;
    }

    private static long forRemovals(int segments, long longest) {
        return 2 * SEGMENT_BYTES + (segments + 2) * waste(longest);
    }

    private static long forWrites(int segments, long longest) {
        return forRemovals(segments, longest) + segments * waste(longest) + SEGMENT_BYTES / 4;
    }

    @Test
    void theReservesOfAnOpeningCountWhatRecoveryFound() {
        assertThat(reserves.forRemovals()).isEqualTo(forRemovals(SEGMENTS, LONGEST));
        assertThat(reserves.floor(true, LONGEST)).isEqualTo(forRemovals(SEGMENTS, LONGEST));
        assertThat(reserves.floor(false, LONGEST)).isEqualTo(forWrites(SEGMENTS, LONGEST));
        assertThat(reserves.whileCarrying()).isEqualTo(SEGMENT_BYTES + waste(LONGEST));
        assertThat(reserves.afterCarryingAll(SEGMENT_BYTES)).isEqualTo(SEGMENT_BYTES - SEGMENTS * waste(LONGEST));
    }

    @Test
    void eachSegmentRaisesTheReserves() {
        lock.lock();
        try {
            reserves.segmentsAre(SEGMENTS + 1);
        } finally {
            lock.unlock();
        }

        assertThat(reserves.forRemovals()).isEqualTo(forRemovals(SEGMENTS + 1, LONGEST));
        assertThat(reserves.floor(false, LONGEST)).isEqualTo(forWrites(SEGMENTS + 1, LONGEST));
        assertThat(reserves.floor(false, LONGEST + 1)).isEqualTo(forWrites(SEGMENTS + 1, LONGEST + 1));
        assertThat(reserves.afterCarryingAll(SEGMENT_BYTES)).isEqualTo(SEGMENT_BYTES - (SEGMENTS + 1) * waste(LONGEST));
    }

    @Test
    void aLongerRecordMustLeaveItsOwnReservesBeforeItIsNoted() {
        assertThat(reserves.floor(true, 2 * LONGEST)).isEqualTo(forRemovals(SEGMENTS, 2 * LONGEST));
        assertThat(reserves.floor(false, 2 * LONGEST)).isEqualTo(forWrites(SEGMENTS, 2 * LONGEST));
        assertThat(reserves.forRemovals()).as("nothing was noted").isEqualTo(forRemovals(SEGMENTS, LONGEST));
    }

    @Test
    void aLongerRecordRaisesTheReservesOfAllOnceItHasItsRoom() {
        reserves.note(2 * LONGEST);

        assertThat(reserves.forRemovals()).isEqualTo(forRemovals(SEGMENTS, 2 * LONGEST));
        assertThat(reserves.floor(false, 1)).isEqualTo(forWrites(SEGMENTS, 2 * LONGEST));
        assertThat(reserves.whileCarrying()).isEqualTo(SEGMENT_BYTES + waste(2 * LONGEST));
        assertThat(lock.isLocked()).isFalse();
    }

    /** Another thread holds the lock for the whole test. */
    @Test
    @Timeout(120)
    void aRecordThatIsNotTheLongestIsNotedWithoutTheLock() throws InterruptedException {
        lock.lock();
        try {
            Thread writer = new Thread(() -> reserves.note(LONGEST));
            writer.start();
            writer.join();
        } finally {
            lock.unlock();
        }

        assertThat(reserves.forRemovals()).isEqualTo(forRemovals(SEGMENTS, LONGEST));
    }
}
