package io.tallystick.narayana.logs.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InDoubtTransactionTest {
    static final Instant NOW = Instant.ofEpochSecond(1000);

    static InDoubtTransaction inDoubt(int uid, Optional<Instant> created, InDoubtParticipant... participants) {
        LoggedTransaction logged = new LoggedTransaction(
                StateKey.of(RecordBytes.ATOMIC_ACTION, ObjectId.of(RecordBytes.uid(uid))),
                RecordState.IN_DOUBT,
                Optional.empty(),
                Decision.COMMIT,
                Optional.empty(),
                Optional.empty(),
                created,
                List.of(participants),
                Optional.empty());
        return InDoubtTransaction.at(NOW, logged, Duration.ofSeconds(5), RecoveryTries.NONE);
    }

    @Test
    void theAgeIsThatOfTheRecordOrElseOfTheFirstLook() {
        InDoubtTransaction ofRecord = inDoubt(1, Optional.of(NOW.minusSeconds(90)));
        InDoubtTransaction ofLook = inDoubt(2, Optional.empty());

        assertThat(ofRecord.age()).isEqualTo(Duration.ofSeconds(90));
        assertThat(ofRecord.isAgeOfRecord()).isTrue();
        assertThat(ofLook.age()).isEqualTo(Duration.ofSeconds(5));
        assertThat(ofLook.isAgeOfRecord()).isFalse();
    }

    @Test
    void aClockThatRunsBehindGivesNoNegativeAge() {
        assertThat(inDoubt(1, Optional.of(NOW.plusSeconds(1))).age()).isZero();
    }

    @Test
    void theErrorOfABranchIsAddedToItsParticipant() {
        BranchId branch = new BranchId(1, "00", "01");
        InDoubtParticipant participant = new InDoubtParticipant(
                "XAResourceRecord",
                Optional.empty(),
                Optional.empty(),
                InDoubtParticipant.State.FAILED,
                Optional.of(branch),
                Optional.empty());

        InDoubtTransaction transaction = inDoubt(1, Optional.empty(), participant)
                .withLastErrors(xid -> xid.equals(branch) ? Optional.of("XAER_RMFAIL") : Optional.empty());

        assertThat(transaction.logged().participants().get(0).lastError()).hasValue("XAER_RMFAIL");
        assertThat(transaction)
                .asString()
                .contains("participants=[record=XAResourceRecord")
                .contains("lastError=XAER");
    }
}
