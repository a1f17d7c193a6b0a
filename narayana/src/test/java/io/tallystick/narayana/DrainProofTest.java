package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.common.recoveryPropertyManager;
import io.tallystick.narayana.RecoveryScan.Look;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What counts as proof that no resource holds a branch, and how long that takes. */
class DrainProofTest {
    private static final long SAFETY = 100;

    private final DrainProof proof = new DrainProof(SAFETY);

    @Test
    void oneLookAndTwoMoreAfterTheIntervalAreTheProof() {
        proof.noTransactionIsActive(0);
        proof.add(look(1, 5));
        assertThat(proof.wantsLook(5 + SAFETY - 1)).isFalse();
        assertThat(proof.wantsLook(5 + SAFETY)).isTrue();
        proof.add(look(5 + SAFETY, 110));
        assertThat(proof.isGiven()).isFalse();
        proof.add(look(120, 125));
        assertThat(proof.isGiven()).isTrue();
    }

    @Test
    void aLookThatBeganBeforeTheLastTransactionEndedDoesNotCount() {
        proof.noTransactionIsActive(10);
        proof.add(look(9, 15));
        proof.add(look(200, 205));
        proof.add(look(210, 215));
        assertThat(proof.isGiven()).isFalse();
    }

    @Test
    void aLookThatBeganBeforeTheIntervalHadPassedDoesNotCount() {
        proof.noTransactionIsActive(0);
        proof.add(look(1, 5));
        proof.add(look(5 + SAFETY - 1, 110));
        proof.add(look(120, 125));
        assertThat(proof.isGiven()).isFalse();
    }

    @Test
    void aTransactionThatIsSeenMeanwhileStartsTheProofAnew() {
        proof.noTransactionIsActive(0);
        proof.add(look(1, 5));
        proof.add(look(110, 115));
        proof.transactionIsActive();
        proof.noTransactionIsActive(120);
        proof.add(look(130, 135));
        proof.add(look(140, 145));
        assertThat(proof.isGiven()).isFalse();
    }

    @Test
    void anIncompleteLookDoesNotCountAndSaysWhy() {
        proof.noTransactionIsActive(0);
        proof.add(look(1, 5));
        proof.add(Look.incomplete(110, "a resource is away"));
        proof.add(look(120, 125));
        assertThat(proof.isGiven()).isFalse();
        proof.add(Look.incomplete(130, "a resource is away"));
        assertThat(proof.problem()).isEqualTo("a resource is away");
    }

    /** The figures of docs/operations.md. */
    @Test
    void theLeastBudgetIsFiftySecondsByDefaultAndMoreWhereNarayanasOwnThreadLooksOften() {
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

    private static Look look(long begunNanos, long seenNanos) {
        return new Look(begunNanos, seenNanos, Optional.empty());
    }
}
