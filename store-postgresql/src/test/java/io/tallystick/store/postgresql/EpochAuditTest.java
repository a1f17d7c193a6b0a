package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EpochAuditTest {
    private final EpochAudit audit = new EpochAudit();

    @Test
    void batchesBehindTheLastDurableOneMayBeMissing() {
        batches(1, 10, 14, 10, 11, 12, 13, 14, 16);

        assertThat(audit.gaps(0)).isEmpty();
    }

    @Test
    void eachHoleBelowTheLastDurableBatchIsFound() {
        batches(1, 10, 20, 12, 13, 16, 22);

        assertThat(audit.gaps(0))
                .containsExactly(new EpochAudit.Gap(10, 11), new EpochAudit.Gap(14, 15), new EpochAudit.Gap(17, 20));
    }

    @Test
    void deletedBatchesAreNoHole() {
        batches(1, 10, 20, 11, 18, 19, 20);

        assertThat(audit.gaps(18)).isEmpty();
        assertThat(audit.gaps(17)).containsExactly(new EpochAudit.Gap(17, 17));
    }

    @Test
    void theRoomBetweenTwoEpochsIsNoHole() {
        batches(1, 10, 11, 10, 11);
        batches(2, 1000, 1001, 1000, 1001);

        assertThat(audit.gaps(0)).isEmpty();
    }

    @Test
    void aLostBeginningOfAnEpochIsAHole() {
        batches(2, 1000, 1001, 1001);

        assertThat(audit.gaps(0)).containsExactly(new EpochAudit.Gap(1000, 1000));
    }

    /** Batches of an epoch; the last one knows up to where all were written. */
    private void batches(long epoch, long begin, long durable, long... sequences) {
        for (long sequence : sequences) {
            audit.add(new BatchBody.Header(1, sequence, epoch, begin, durable, 0));
        }
    }
}
