package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SegmentRingTest {
    private SegmentRing ring;
    private SegmentFixture fixture;

    @BeforeEach
    void makeRing() throws Exception {
        fixture = new SegmentFixture();
        ring = fixture.ring;
    }

    private Segment addSpare() {
        Segment spare = SegmentFixture.withoutFile(ring.nextHeader(SegmentFixture.SEGMENT_BYTES));
        ring.addSpare(spare);
        return spare;
    }

    @Test
    void segmentsAreUsedInTheOrderInWhichTheyWerePrepared() {
        Segment first = addSpare();
        Segment second = addSpare();

        assertThat(ring.takeSpare()).isSameAs(first);
        assertThat(ring.takeSpare()).isSameAs(second);
        assertThat(ring.all()).containsExactly(first, second);
        assertThat(ring.spares()).isZero();
        assertThatThrownBy(ring::takeSpare).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void eachHeaderNamesTheSegmentBeforeItAndTheOldestInUse() {
        Segment first = addSpare();
        Segment second = addSpare();
        ring.takeSpare();
        ring.takeSpare();

        SegmentHeader third = ring.nextHeader(SegmentFixture.SEGMENT_BYTES);

        assertThat(first.header().previousId()).isZero();
        assertThat(first.header().oldestId()).isEqualTo(first.id());
        assertThat(second.header().previousId()).isEqualTo(first.id());
        assertThat(third.previousId()).isEqualTo(second.id());
        assertThat(third.oldestId()).isEqualTo(first.id());
    }

    @Test
    void headersNoLongerNeedASegmentThatWasTakenOutUntilItIsPutBack() {
        Segment first = addSpare();
        Segment second = addSpare();
        ring.takeSpare();
        ring.takeSpare();
        first.laidOut(17);

        long freedBefore = ring.takeOut(first);
        SegmentHeader without = ring.nextHeader(SegmentFixture.SEGMENT_BYTES);
        ring.putBack(first, freedBefore);
        SegmentHeader with = ring.nextHeader(SegmentFixture.SEGMENT_BYTES);

        assertThat(without.oldestId()).isEqualTo(second.id());
        assertThat(without.freedThrough()).isEqualTo(17);
        assertThat(with.oldestId()).isEqualTo(first.id());
        assertThat(with.freedThrough()).isZero();
        assertThat(ring.all()).containsExactly(first, second);
    }

    @Test
    void noHeaderIsMadeThatForgetsTheActiveSegment() {
        Segment active = addSpare();
        ring.takeSpare();
        ring.takeOut(active);

        assertThatThrownBy(() -> ring.nextHeader(SegmentFixture.SEGMENT_BYTES))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theOldestIsFullAndOnDiskWhenAnotherOneIsActiveAndItsLastBatchHasLanded() {
        Segment first = addSpare();
        addSpare();
        ring.takeSpare();
        assertThat(ring.snapshot(false, 0).oldestOrNull()).as("it is active").isNull();
        first.laidOut(5);
        first.becameLive(100);
        ring.takeSpare();

        assertThat(ring.oldestOnDiskOrNull()).isNull();
        assertThat(ring.snapshot(false, 0).isOldestLanding()).isTrue();

        ring.durable(5);
        assertThat(ring.oldestOnDiskOrNull()).isSameAs(first);
        assertThat(ring.snapshot(false, 0).isOldestLanding()).isFalse();
        assertThat(ring.snapshot(false, 0).oldestOrNull().liveRecords()).isEqualTo(1);
    }

    @Test
    void aSnapshotCountsAllSegments() {
        Segment first = addSpare();
        addSpare();
        addSpare();
        ring.takeSpare();
        first.becameLive(1000);

        HousekeepingSnapshot snapshot = ring.snapshot(false, 77);

        long usable = first.usableBytes();
        assertThat(snapshot.segments().all()).isEqualTo(3);
        assertThat(snapshot.segments().spares()).isEqualTo(2);
        assertThat(snapshot.room().free()).isEqualTo(3 * usable);
        assertThat(snapshot.room().wanted()).isEqualTo(77);
        assertThat(snapshot.segments().liveBytes()).isEqualTo(1000);
        assertThat(snapshot.segments().usableBytes()).isEqualTo(usable);
        assertThat(snapshot.room().forRemovals()).isEqualTo(fixture.reserves.forRemovals());
        assertThat(snapshot.room().attainable()).isEqualTo(fixture.reserves.afterCarryingAll(3 * usable - 1000));
    }

    @Test
    void theLastSpareSaysWhatWasOnDiskAndStaysASpare() {
        addSpare();
        Segment last = addSpare();

        Segment reborn = ring.lastSpareRebornOrNull(42);

        assertThat(reborn.path()).isEqualTo(last.path());
        assertThat(reborn.id()).isGreaterThan(last.id());
        assertThat(reborn.header().previousId()).isEqualTo(last.header().previousId());
        assertThat(reborn.header().durableBefore()).isEqualTo(42);
        assertThat(reborn.header().firstSequence()).isEqualTo(42 + SegmentRecovery.SEQUENCE_STEP);
        assertThat(ring.all()).endsWith(last);
    }

    /** A header that named the life before as the oldest one would need a segment that is nowhere. */
    @Test
    void theOnlySegmentIsTheOldestOneInItsNextLifeToo() {
        addSpare();

        Segment reborn = ring.lastSpareRebornOrNull(42);

        assertThat(reborn.header().oldestId()).isEqualTo(reborn.id());
        assertThat(ring.spares()).isEqualTo(1);
    }

    @Test
    void aRingWithoutSparesHasNoneToMark() {
        addSpare();
        ring.takeSpare();

        assertThat(ring.lastSpareRebornOrNull(42)).isNull();
    }
}
