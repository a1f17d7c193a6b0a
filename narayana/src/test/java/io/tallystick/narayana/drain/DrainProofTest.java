package io.tallystick.narayana.drain;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.common.recoveryPropertyManager;
import io.tallystick.narayana.TallystickDrain;
import io.tallystick.narayana.drain.RecoveryScan.Result;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What counts as proof that no resource holds a branch, and how long that takes. */
class DrainProofTest {
    private static final long SAFETY = 100;

    private final DrainProof proof = new DrainProof(SAFETY);

    @Test
    void oneScanAndTwoMoreAfterTheIntervalAreTheProof() {
        proof.noTransactionIsActive(0);
        proof.add(scan(1, 5));
        assertThat(proof.needsScan(5 + SAFETY - 1)).isFalse();
        assertThat(proof.needsScan(5 + SAFETY)).isTrue();
        proof.add(scan(5 + SAFETY, 110));
        assertThat(proof.isGiven()).isFalse();
        proof.add(scan(120, 125));
        assertThat(proof.isGiven()).isTrue();
    }

    @Test
    void aScanThatBeganBeforeTheLastTransactionEndedDoesNotCount() {
        proof.noTransactionIsActive(10);
        proof.add(scan(9, 15));
        proof.add(scan(200, 205));
        proof.add(scan(210, 215));
        assertThat(proof.isGiven()).isFalse();
    }

    @Test
    void aScanThatBeganBeforeTheIntervalHadPassedDoesNotCount() {
        proof.noTransactionIsActive(0);
        proof.add(scan(1, 5));
        proof.add(scan(5 + SAFETY - 1, 110));
        proof.add(scan(120, 125));
        assertThat(proof.isGiven()).isFalse();
    }

    @Test
    void aTransactionThatIsSeenMeanwhileStartsTheProofAnew() {
        proof.noTransactionIsActive(0);
        proof.add(scan(1, 5));
        proof.add(scan(110, 115));
        proof.transactionIsActive();
        proof.noTransactionIsActive(120);
        proof.add(scan(130, 135));
        proof.add(scan(140, 145));
        assertThat(proof.isGiven()).isFalse();
    }

    @Test
    void anIncompleteLookDoesNotCountAndSaysWhy() {
        proof.noTransactionIsActive(0);
        proof.add(scan(1, 5));
        proof.add(Result.incomplete(110, "a resource is away"));
        proof.add(scan(120, 125));
        assertThat(proof.isGiven()).isFalse();
        proof.add(Result.incomplete(130, "a resource is away"));
        assertThat(proof.problem()).isEqualTo("a resource is away");
    }

    @Test
    void aScanThatDoesNotEndIsTheReasonUntilAScanEnds() {
        proof.noTransactionIsActive(0);
        proof.add(scan(1, 5));
        proof.scanHasNotEnded();
        assertThat(proof.problem()).contains("a scan of recovery has not ended", "recovery is suspended");
        proof.add(Result.incomplete(110, "a resource is away"));
        assertThat(proof.problem()).isEqualTo("a resource is away");
    }

    @Test
    void aScanThatDoesNotEndIsTheReasonAlsoAfterALaterTransaction() {
        proof.noTransactionIsActive(0);
        proof.add(scan(1, 5));
        proof.transactionIsActive();
        proof.noTransactionIsActive(50);
        proof.scanHasNotEnded();
        assertThat(proof.problem()).contains("a scan of recovery has not ended");
    }

    /** The figures of docs/draining.md. */
    @Test
    void theLeastBudgetIsFiftySecondsByDefaultAndMoreWhereNarayanasOwnThreadScansOften() {
        RecoveryEnvironmentBean bean = recoveryPropertyManager.getRecoveryEnvironmentBean();
        int period = bean.getPeriodicRecoveryPeriod();
        assertThat(TallystickDrain.leastBudget()).isEqualTo(Duration.ofSeconds(50));
        bean.setPeriodicRecoveryPeriod(39);
        try {
            assertThat(TallystickDrain.leastBudget()).isEqualTo(Duration.ofSeconds(70));
        } finally {
            bean.setPeriodicRecoveryPeriod(period);
        }
    }

    private static Result scan(long begunNanos, long seenNanos) {
        return new Result(begunNanos, seenNanos, Optional.empty());
    }
}
