package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.spi.Damage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequenceAuditTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final Path FILE = DIRECTORY.resolve("segment-000001.seg");
    private static final Path OTHER = DIRECTORY.resolve("segment-000002.seg");

    private final List<Damage.Kind> damage = new ArrayList<>();
    private final List<String> reasons = new ArrayList<>();

    private static SegmentHeader header(long id, long firstSequence, long durableBefore, long freedThrough) {
        return new SegmentHeader(id, 1, 65_536, 4096, id - 1, 1, firstSequence, durableBefore, freedThrough);
    }

    private SequenceAudit audit(SegmentHeader... headers) {
        return new SequenceAudit(List.of(headers), DIRECTORY, (file, offset, kind, reason) -> {
            damage.add(kind);
            reasons.add(reason);
        });
    }

    /** A batch of one block at the place that fits to its sequence, without a gap before it. */
    private static boolean batch(SequenceAudit audit, long opening, long sequence, long durableThrough) {
        long position = 4096 * (1 + sequence % 100);
        return audit.batch(
                FILE, opening, new ScannedBatch(position, position + 4096, position, sequence, durableThrough));
    }

    @Test
    void batchesWithoutAGapAreSound() {
        SequenceAudit audit = audit(header(1, 1, 0, 0));
        assertThat(batch(audit, 1, 1, 0)).isTrue();
        assertThat(batch(audit, 1, 2, 1)).isTrue();

        assertThat(audit.check()).isEqualTo(2);
        assertThat(audit.highest()).isEqualTo(2);
        assertThat(damage).isEmpty();
    }

    @Test
    void aMissingBatchThatAMarkCoversIsDamage() {
        SequenceAudit audit = audit(header(1, 1, 0, 0));
        batch(audit, 1, 1, 0);
        batch(audit, 1, 3, 2);

        audit.check();

        assertThat(damage).containsExactly(Damage.Kind.BATCH);
        assertThat(audit.required()).hasSize(1);
        assertThat(audit.required().get(0).first()).isEqualTo(2);
        assertThat(audit.required().get(0).last()).isEqualTo(2);
    }

    @Test
    void aMissingBatchThatNoMarkCoversWasInFlight() {
        SequenceAudit audit = audit(header(1, 1, 0, 0));
        batch(audit, 1, 1, 0);
        batch(audit, 1, 3, 1);

        assertThat(audit.check()).as("on disk without a gap").isEqualTo(1);
        assertThat(audit.coveredThrough(3)).isEqualTo(1);
        assertThat(damage).isEmpty();
    }

    @Test
    void aTornTailIsNoDamageUnlessAMarkCoversIt() {
        SequenceAudit audit = audit(header(1, 1, 0, 0), header(2, 2000, 4, 0));
        batch(audit, 1, 1, 0);
        batch(audit, 1, 2, 0);

        audit.check();

        assertThat(reasons).hasSize(1).first().asString().contains("batches 3 to 4 were acknowledged");
    }

    @Test
    void freedBatchesAreNotMissed() {
        SequenceAudit audit = audit(header(2, 1, 0, 5));
        batch(audit, 1, 6, 5);

        assertThat(audit.check()).isEqualTo(6);
        assertThat(audit.freedThrough()).isEqualTo(5);
        assertThat(damage).isEmpty();
    }

    @Test
    void nothingIsRequiredBetweenTwoOpenings() {
        SequenceAudit audit = audit(header(1, 1, 0, 0), header(2, 1025, 1, 0));
        batch(audit, 1, 1, 0);
        batch(audit, 1025, 1025, 1024);

        assertThat(audit.check()).isEqualTo(1025);
        assertThat(damage).isEmpty();
    }

    @Test
    void aBatchThatComesTwiceIsMisplaced() {
        SequenceAudit audit = audit(header(1, 1, 0, 0));
        batch(audit, 1, 1, 0);

        assertThat(batch(audit, 1, 1, 0)).isFalse();
        assertThat(damage).containsExactly(Damage.Kind.MISPLACED);
    }

    @Test
    void aBatchOfAnotherOpeningThanItsSegmentIsMisplaced() {
        SequenceAudit audit = audit(header(1, 1, 0, 0), header(2, 1025, 0, 0));

        assertThat(batch(audit, 1, 1030, 0)).isFalse();
        assertThat(damage).containsExactly(Damage.Kind.MISPLACED);
    }

    @Test
    void aBatchThatClaimsToBeCoveredByItselfIsMisplaced() {
        SequenceAudit audit = audit(header(1, 1, 0, 0));

        assertThat(batch(audit, 1, 1, 1)).isFalse();
        assertThat(damage).containsExactly(Damage.Kind.MISPLACED);
    }

    @Test
    void damageIsToldWhereTheBlocksAreInvalid() {
        SequenceAudit audit = audit(header(1, 1, 0, 0));
        batch(audit, 1, 1, 0);
        audit.batch(OTHER, 1, new ScannedBatch(12_288, 16_384, 8192, 3, 2));

        audit.check();

        assertThat(audit.required()).containsExactly(new SequenceAudit.Gap(2, 2, OTHER, 8192));
    }

    @Test
    void whatIsMissingBetweenTwoFilesIsToldAtTheEndOfTheFirst() {
        SequenceAudit audit = audit(header(1, 1, 0, 0));
        batch(audit, 1, 1, 0);
        audit.batch(OTHER, 1, new ScannedBatch(4096, 8192, 4096, 3, 2));

        audit.check();

        assertThat(audit.required()).containsExactly(new SequenceAudit.Gap(2, 2, FILE, 12_288));
    }

    @Test
    void whatIsMissingBeforeTheVeryFirstBatchIsToldThere() {
        SequenceAudit audit = audit(header(1, 1, 0, 0));
        audit.batch(OTHER, 1, new ScannedBatch(4096, 8192, 4096, 3, 2));

        audit.check();

        assertThat(audit.required()).containsExactly(new SequenceAudit.Gap(1, 2, OTHER, 4096));
    }

    /** An opening that used a sequence again would write a batch that an older one of the same sequence hides. */
    @Test
    void theHighestSequenceIsThatOfTheLastOpeningEvenIfItWroteNothing() {
        SequenceAudit audit = audit(header(1, 1, 0, 0), header(2, 2000, 1, 0));
        batch(audit, 1, 1, 0);

        assertThat(audit.highest()).isEqualTo(2000);
        assertThat(audit().highest()).isZero();
    }

    @Test
    void anOpeningThatWroteNothingRequiresWhatWasDurableBefore() {
        SequenceAudit audit = audit(header(1, 1, 0, 0), header(2, 2000, 4, 0));
        for (long sequence = 1; sequence <= 5; sequence++) {
            batch(audit, 1, sequence, sequence - 1);
        }

        assertThat(audit.check()).isEqualTo(4);
        assertThat(damage).isEmpty();
    }

    @Test
    void eachOpeningCoversWhatItsOwnMarksSay() {
        SequenceAudit audit = audit(header(1, 1, 0, 0), header(2, 1025, 1, 0));
        batch(audit, 1, 1, 0);
        batch(audit, 1, 2, 1);
        batch(audit, 1025, 1025, 0);
        batch(audit, 1025, 1026, 0);

        audit.check();

        assertThat(audit.coveredThrough(2)).isEqualTo(1);
        assertThat(audit.coveredThrough(1026)).isEqualTo(1026);
    }

    @Test
    void nothingBehindTheMissingFirstBatchOfAnOpeningIsKnownToBeDurable() {
        SequenceAudit audit = audit(header(1, 1, 0, 0), header(2, 1025, 1, 0));
        batch(audit, 1, 1, 0);
        batch(audit, 1025, 1026, 0);

        assertThat(audit.check()).isEqualTo(1024);
        assertThat(damage).isEmpty();
    }
}
