package io.tallystick.narayana.logs.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.narayana.logs.MalformedException;
import io.tallystick.narayana.logs.PackedBuffer;
import io.tallystick.narayana.logs.PackedBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParticipantsTest {
    private static Fields read(PackedBytes packed) throws MalformedException {
        PackedBuffer buffer = RecordBytes.reader(packed);
        Fields fields = Participants.read(buffer.readInt(), buffer);
        assertThat(buffer.isAtEnd()).isTrue();
        return fields;
    }

    @Test
    void anXaResourceIsReadToItsEnd() throws MalformedException {
        assertThat(read(RecordBytes.xaResource(new PackedBytes(), RecordBytes.FINISH_OK))
                        .values())
                .containsEntry(Participants.RECORD, "XAResourceRecord")
                .containsEntry(Participants.OUTCOME, "FINISH_OK")
                .containsEntry(Participants.JNDI_NAME, "java:/stock")
                .containsEntry(Participants.PRODUCT, "H2")
                .containsEntry("objectType", "/XAResourceRecord");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 121, 172, 463})
    void theEndOfAnUnknownRecordIsNotKnown(int code) {
        assertThatThrownBy(() -> read(new PackedBytes().number(code)))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("the layout of " + NarayanaCodes.participant(code) + " is not known");
    }

    @Test
    void anOutcomeThatNarayanaDoesNotHaveIsMalformed() {
        assertThatThrownBy(() -> read(RecordBytes.xaResource(new PackedBytes(), 13)))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("cannot have the outcome 13");
    }

    @Test
    void aRecoveryRecordHasItsObjectAlone() throws MalformedException {
        PackedBytes packed = new PackedBytes()
                .number(NarayanaCodes.PARTICIPANT_RECOVERY)
                .array(RecordBytes.uid(4))
                .text("/T");

        assertThat(read(packed).values()).containsOnlyKeys(Participants.RECORD, "object", "objectType");
    }

    @Test
    void aStateIsInAPersistenceRecordUnlessItWasWrittenAsAShadow() throws MalformedException {
        PackedBytes shadow = new PackedBytes()
                .number(NarayanaCodes.PARTICIPANT_PERSISTENCE)
                .number(1)
                .array(RecordBytes.uid(4))
                .text("/T");
        PackedBytes state = new PackedBytes()
                .number(NarayanaCodes.PARTICIPANT_PERSISTENCE)
                .number(0)
                .text("/S")
                .array(RecordBytes.uid(5))
                .array(new byte[6])
                .array(RecordBytes.uid(4))
                .text("/T");

        assertThat(read(shadow).values()).containsEntry("shadowWritten", true).doesNotContainKey("stateBytes");
        assertThat(read(state).values()).containsEntry("shadowWritten", false).containsEntry("stateBytes", 6);
    }

    @Test
    void aMarkableResourceTellsItsOutcomeOnceItIsCompleted() throws MalformedException {
        assertThat(read(RecordBytes.markable(new PackedBytes(), false, false)).values())
                .containsEntry("completed", false)
                .doesNotContainKey("committed");
        assertThat(read(RecordBytes.markable(new PackedBytes(), true, true)).values())
                .containsEntry("completed", true)
                .containsEntry("committed", true);
    }

    /** The record has them, and no reader may see them. */
    @Test
    void userAndPasswordAreNotShown() throws MalformedException {
        PackedBytes packed = connection(".DirectRecoverableConnection").text("the.Class");
        packed.array(RecordBytes.uid(4)).text("/T");

        Fields fields = read(packed);

        assertThat(fields.values())
                .containsEntry("user", "not shown")
                .containsEntry("password", "not shown")
                .containsEntry("dynamicClass", "the.Class");
        assertThat(fields.values().toString()).doesNotContain("scott").doesNotContain("tiger");
    }

    @Test
    void anUnknownConnectionIsMalformed() {
        assertThatThrownBy(() -> read(connection(".OtherConnection")))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("the connection class x.OtherConnection is not known");
    }

    private static PackedBytes connection(String type) {
        PackedBytes packed = new PackedBytes()
                .number(NarayanaCodes.PARTICIPANT_XA_RESOURCE)
                .number(RecordBytes.FINISH_OK)
                .number(0)
                .number(0)
                .array(new byte[3]);
        return packed.number(0).text("x" + type).text("jdbc:h2").text("scott").text("tiger");
    }
}
