package io.tallystick.narayana.logs.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.narayana.logs.MalformedException;
import io.tallystick.narayana.logs.PackedBytes;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BranchTest {
    private static Fields read(PackedBytes packed) throws MalformedException {
        return Branch.read(RecordBytes.reader(packed));
    }

    @Test
    void anXidIsPackedOrASerializedObject() throws MalformedException {
        PackedBytes packed = RecordBytes.xid(new PackedBytes().number(1), 7, new byte[] {1}, new byte[] {2, 3});
        PackedBytes serialized = new PackedBytes().number(0).array(new byte[5]);

        assertThat(Branch.readTagged(RecordBytes.reader(packed)).values())
                .containsEntry(Branch.FORMAT, 7)
                .containsEntry(Branch.GLOBAL, "01")
                .containsEntry(Branch.BRANCH, "0203")
                .doesNotContainKey("node");
        assertThat(Branch.readTagged(RecordBytes.reader(serialized)).values())
                .containsExactly(Map.entry("serialized", "a Java object of 5 bytes, which is not read"));
    }

    @Test
    void anXidOfNarayanasTellsItsNode() throws MalformedException {
        PackedBytes packed = RecordBytes.xid(
                new PackedBytes(), RecordBytes.OWN_FORMAT, RecordBytes.global("n1"), RecordBytes.uid(3));

        assertThat(read(packed).values()).containsEntry("node", "n1").doesNotContainKey("branchUid");
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, 0", "0, -1, 0", "65, 0, 65", "0, 65, 65", "2, 2, 3"})
    void partsThatCannotBeAreMalformed(int globalBytes, int branchBytes, int bytes) {
        PackedBytes packed = new PackedBytes()
                .number(7)
                .number(globalBytes)
                .number(branchBytes)
                .array(new byte[bytes]);

        assertThatThrownBy(() -> read(packed))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("would have parts of " + globalBytes + " and " + branchBytes);
    }

    @Test
    void partsMayHave64Bytes() throws MalformedException {
        PackedBytes packed = RecordBytes.xid(new PackedBytes(), 7, new byte[64], new byte[64]);

        assertThat(read(packed).get(Branch.BRANCH)).isEqualTo("00".repeat(64));
    }
}
