package io.tallystick.narayana.logs.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.store.ObjectId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BranchIdTest {
    private final BranchId own = BranchId.of(RecordBytes.OWN_FORMAT, RecordBytes.global("n1"), RecordBytes.uid(3));

    @Test
    void whatWasPrintedIsParsed() {
        assertThat(BranchId.parse(own.toString())).isEqualTo(own);
        assertThat(BranchId.parse("-1::")).isEqualTo(new BranchId(-1, "", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1:00", "1:00:01:02", "x:00:01", "1:0:01", "1:00:zz"})
    void anotherTextIsNoXid(String text) {
        assertThatThrownBy(() -> BranchId.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "' is no Xid");
    }

    @Test
    void fieldsOfAnXidAreOneAndOthersAreNot() {
        Fields whole =
                new Fields().put(Branch.FORMAT, 1).put(Branch.GLOBAL, "00").put(Branch.BRANCH, "01");

        assertThat(BranchId.of(whole)).hasValue(new BranchId(1, "00", "01"));
        assertThat(BranchId.of(new Fields().put("serialized", "a Java object"))).isEmpty();
        assertThat(BranchId.of((Object) null)).isEmpty();
    }

    @Test
    void anXidOfNarayanasTellsTransactionAndNode() {
        assertThat(own.isNarayanas()).isTrue();
        assertThat(own.transaction()).hasValue(ObjectId.of(RecordBytes.uid(1)));
        assertThat(own.node()).hasValue("n1");
        assertThat(own.subordinateNode()).isEmpty();
    }

    @Test
    void anXidOfAnotherFormatTellsNothing() {
        BranchId foreign = BranchId.of(4711, RecordBytes.global("n1"), imported(2, "n2"));

        assertThat(foreign.isNarayanas()).isFalse();
        assertThat(foreign.transaction()).isEmpty();
        assertThat(foreign.node()).isEmpty();
        assertThat(foreign.subordinateNode()).isEmpty();
    }

    @Test
    void anXidThatIsTooShortForAUidTellsNothing() {
        BranchId cut = BranchId.of(RecordBytes.OWN_FORMAT, new byte[NarayanaUid.BYTES - 1], new byte[0]);

        assertThat(cut.transaction()).isEmpty();
        assertThat(cut.node()).isEmpty();
    }

    @Test
    void aBranchOfAnImportedTransactionTellsTheNodeThatMadeIt() {
        assertThat(withBranch(imported(2, "n2")).subordinateNode()).hasValue("n2");
        assertThat(withBranch(imported(0, "")).subordinateNode()).isEmpty();
        assertThat(withBranch(imported(-1, "n2")).subordinateNode()).isEmpty();
        assertThat(withBranch(imported(99, "n2")).subordinateNode()).hasValue("n2");
    }

    private static BranchId withBranch(byte[] branch) {
        return BranchId.of(RecordBytes.OWN_FORMAT, RecordBytes.global("n1"), branch);
    }

    private static byte[] imported(int nameBytes, String node) {
        return ByteBuffer.allocate(NarayanaUid.BYTES + 2 * Integer.BYTES + node.length())
                .put(RecordBytes.uid(3))
                .putInt(0)
                .putInt(nameBytes)
                .put(node.getBytes(StandardCharsets.US_ASCII))
                .array();
    }
}
