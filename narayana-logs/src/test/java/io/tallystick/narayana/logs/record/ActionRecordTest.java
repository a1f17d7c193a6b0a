package io.tallystick.narayana.logs.record;

import static io.tallystick.narayana.logs.record.RecordBytes.ATOMIC_ACTION;
import static io.tallystick.narayana.logs.record.RecordBytes.COMMITTED;
import static io.tallystick.narayana.logs.record.RecordBytes.FINISH_OK;
import static io.tallystick.narayana.logs.record.RecordBytes.ended;
import static io.tallystick.narayana.logs.record.RecordBytes.header;
import static io.tallystick.narayana.logs.record.RecordBytes.xaResource;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.logs.PackedBytes;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is read from the bytes of a record, sound, cut or unknown. */
class ActionRecordTest {
    private static ActionRecord transaction(byte[] record) {
        return ActionRecord.decode(ATOMIC_ACTION, record);
    }

    private static List<?> list(ActionRecord record, String name) {
        return (List<?>) record.fields().get(name);
    }

    @Test
    void aRecordWithAParticipantIsInDoubt() {
        ActionRecord record = transaction(ended(xaResource(header(), FINISH_OK), COMMITTED));

        assertThat(record.state()).isEqualTo(RecordState.IN_DOUBT);
        assertThat(record.isInDoubt()).isTrue();
        assertThat(record.created()).hasValue(Instant.EPOCH);
        assertThat(list(record, ActionRecord.PARTICIPANTS)).hasSize(1);
        assertThat(list(record, ActionRecord.HEURISTICS)).isEmpty();
        assertThat(record.fields().values())
                .containsEntry("kind", "transaction")
                .containsEntry(ActionRecord.STATUS, "COMMITTED")
                .doesNotContainKeys(ActionRecord.NOT_UNDERSTOOD, "rest");
    }

    @Test
    void aRecordWithoutAParticipantIsFinished() {
        ActionRecord record = transaction(ended(header(), COMMITTED));

        assertThat(record.state()).isEqualTo(RecordState.FINISHED);
        assertThat(record.isInDoubt()).isFalse();
    }

    @Test
    void heuristicParticipantsAreAListOfTheirOwn() {
        PackedBytes packed = header().number(NarayanaCodes.END_OF_LIST).number(1);

        ActionRecord record = transaction(xaResource(packed, 4)
                .number(NarayanaCodes.END_OF_LIST)
                .number(13)
                .number(0)
                .number(4)
                .toBytes());

        assertThat(record.state()).isEqualTo(RecordState.HEURISTIC);
        assertThat(record.isInDoubt()).isFalse();
        assertThat(list(record, ActionRecord.PARTICIPANTS)).isEmpty();
        assertThat(list(record, ActionRecord.HEURISTICS)).hasSize(1);
        assertThat(record.fields().get(ActionRecord.STATUS)).isEqualTo("H_MIXED");
    }

    @Test
    void everyCutIsUnreadableAndNoneThrows() {
        byte[] whole = ended(xaResource(header(), FINISH_OK), COMMITTED);
        for (int length = 0; length < whole.length; length++) {
            ActionRecord record = transaction(Arrays.copyOf(whole, length));

            assertThat(record.fields().values())
                    .as("length=%d", length)
                    .doesNotContainKey(ActionRecord.STATUS)
                    .containsEntry("size", length);
            assertThat(record.state()).as("length=%d", length).isEqualTo(RecordState.UNREADABLE);
        }
    }

    /** The part behind an unknown participant is found by its last bytes. */
    @Test
    void whatStandsBehindAnUnknownParticipantIsReadAsWell() {
        PackedBytes packed = header().number(172).array(new byte[] {1, 2, 3}).number(99);

        ActionRecord record = transaction(ended(xaResource(packed, FINISH_OK), COMMITTED));

        assertThat(list(record, ActionRecord.PARTICIPANTS)).hasSize(2);
        assertThat(record.fields().values())
                .containsEntry(ActionRecord.STATUS, "COMMITTED")
                .doesNotContainKey(ActionRecord.NOT_UNDERSTOOD);
        Fields unknown = (Fields) list(record, ActionRecord.PARTICIPANTS).get(0);
        assertThat(unknown.values())
                .containsEntry(Participants.RECORD, "ExtendedResourceRecord (OTS)")
                .containsEntry("bytes", 16);
    }

    @Test
    void aNegativeNumberOfHeuristicsIsNotUnderstood() {
        PackedBytes packed = header().number(NarayanaCodes.END_OF_LIST).number(-1);

        assertThat(transaction(packed.toBytes()).fields().get(ActionRecord.NOT_UNDERSTOOD))
                .isEqualTo("there cannot be -1 heuristic participants");
    }

    @Test
    void theStatusManagerOfAProcessTellsItsAddress() {
        ActionRecord alive = ActionRecord.decode(
                "/Recovery/TransactionStatusManager",
                new PackedBytes().text("host").number(4711).number(0).toBytes());
        ActionRecord dead = ActionRecord.decode(
                "/Recovery/TransactionStatusManager",
                new PackedBytes().text("host").number(4711).number(1).number(0L).toBytes());

        assertThat(alive.fields().values())
                .containsEntry("port", 4711)
                .containsEntry("markedDead", false)
                .doesNotContainKey("deadSince");
        assertThat(dead.fields().values()).containsEntry("deadSince", "1970-01-01T00:00:00Z");
        assertThat(alive.state()).isEqualTo(RecordState.BOOKKEEPING);
    }

    @Test
    void anObjectOfAnotherClassShowsItsHeaderAndTheRest() {
        ActionRecord record =
                ActionRecord.decode("/StateManager/Mine", header(0L).number(4).toBytes());

        assertThat(record.state()).isEqualTo(RecordState.OTHER);
        assertThat(record.fields().values())
                .containsEntry("kind", "object")
                .containsEntry("rest", "4 bytes of a class whose layout is not known");
    }

    @Test
    void aSubordinateTransactionTellsItsParent() {
        PackedBytes packed = header(0L).number(1);
        RecordBytes.xid(packed, RecordBytes.OWN_FORMAT, RecordBytes.global("n9"), RecordBytes.uid(3));
        RecordBytes.headerBehind(packed.text("n9"));

        ActionRecord record = ActionRecord.decode(
                ATOMIC_ACTION + "/SubordinateAtomicAction/JCA", ended(packed, RecordBytes.PREPARED));

        assertThat(record.fields().values())
                .containsEntry("parentNode", "n9")
                .containsEntry(ActionRecord.STATUS, "PREPARED")
                .containsKey(ActionRecord.PARENT_XID);
    }

    @Test
    void everyTimeThatFitsIntoTheRecordIsReadBack() {
        for (long millis : new long[] {Long.MIN_VALUE, -1, Long.MAX_VALUE}) {
            ActionRecord record = transaction(ended(header(millis).number(1), COMMITTED));

            assertThat(record.created()).as("millis=%d", millis).hasValue(Instant.ofEpochMilli(millis));
        }
    }
}
