package io.tallystick.narayana.logs.record;

import io.tallystick.narayana.logs.MalformedException;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.PackedBuffer;
import io.tallystick.narayana.logs.PackedBytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Packs parts of records as Narayana does. */
final class RecordBytes {
    static final String ATOMIC_ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    static final int OWN_FORMAT = 131077;
    static final int PREPARED = 5;
    static final int COMMITTED = 7;
    static final int FINISH_OK = 7;
    static final int FINISH_ERROR = 8;

    private RecordBytes() {}

    /** A Uid of 28 equal bytes. */
    static byte[] uid(int value) {
        byte[] uid = new byte[NarayanaUid.BYTES];
        Arrays.fill(uid, (byte) value);
        return uid;
    }

    static PackedBuffer reader(PackedBytes packed) throws MalformedException {
        return PackedBuffer.of(packed.toBytes());
    }

    /** What each record begins with: the transaction that began at the epoch, and the flag. */
    static PackedBytes header() {
        return header(0L).number(1);
    }

    static PackedBytes header(long createdMillis) {
        return new PackedBytes().text("#ARJUNA#").array(uid(1)).array(uid(2)).number(createdMillis);
    }

    /** The same header behind what a subclass has packed in front of it. */
    static PackedBytes headerBehind(PackedBytes packed) {
        return packed.text("#ARJUNA#").array(uid(1)).array(uid(2)).number(0L).number(1);
    }

    /** An XA resource with this outcome, of node n1. */
    static PackedBytes xaResource(PackedBytes to, int outcome) {
        to.number(NarayanaCodes.PARTICIPANT_XA_RESOURCE)
                .number(outcome)
                .number(0)
                .number(1);
        xid(to, OWN_FORMAT, global("n1"), uid(3));
        return to.number(1)
                .text("H2")
                .text("2.2")
                .text("java:/stock")
                .number(0)
                .array(uid(4))
                .text("/XAResourceRecord");
    }

    /** A CommitMarkableResource of node n1. */
    static PackedBytes markable(PackedBytes to, boolean isCompleted, boolean isCommitted) {
        to.number(NarayanaCodes.PARTICIPANT_OF_MARKABLE_RESOURCE)
                .text("java:/stock")
                .number(1);
        xid(to, OWN_FORMAT, global("n1"), uid(3)).number(isCompleted ? 1 : 0);
        if (isCompleted) {
            to.number(isCommitted ? 1 : 0);
        }
        return to.text("H2").text("2.2").array(uid(4)).text("/CommitMarkableResourceRecord");
    }

    /** An Xid without the mark in front of it. */
    static PackedBytes xid(PackedBytes to, int format, byte[] global, byte[] branch) {
        byte[] both = ByteBuffer.allocate(global.length + branch.length)
                .put(global)
                .put(branch)
                .array();
        return to.number(format).number(global.length).number(branch.length).array(both);
    }

    static byte[] global(String node) {
        byte[] name = node.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(NarayanaUid.BYTES + name.length)
                .put(uid(1))
                .put(name)
                .array();
    }

    /** The end of the first list, no heuristics, and this status. */
    static byte[] ended(PackedBytes record, int status) {
        return record.number(NarayanaCodes.END_OF_LIST)
                .number(0)
                .number(status)
                .number(0)
                .number(FINISH_OK)
                .toBytes();
    }
}
