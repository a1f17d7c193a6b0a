package io.tallystick.narayana.logs.record;

import io.tallystick.narayana.logs.MalformedException;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.PackedBuffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * An Xid as Narayana packs it. In one of its own formats the global part is the Uid of the transaction and then the
 * name of the node. The branch part is a Uid, the number of the resource manager, and the name of a subordinate node.
 */
final class Branch {
    private static final HexFormat HEX = HexFormat.of();
    private static final int MAX_PART_BYTES = 64;

    static final String FORMAT = "format";
    static final String GLOBAL = "global";
    static final String BRANCH = "branch";

    private Branch() {}

    /** Reads the Xid at this place. It is packed or, if it has a foreign class, serialized. */
    static Fields readTagged(PackedBuffer buffer) throws MalformedException {
        if (buffer.readBoolean()) {
            return read(buffer);
        }
        int bytes = buffer.readBytes().length;
        return new Fields().put("serialized", "a Java object of " + bytes + " bytes, which is not read");
    }

    static Fields read(PackedBuffer buffer) throws MalformedException {
        int format = buffer.readInt();
        int globalBytes = buffer.readInt();
        int branchBytes = buffer.readInt();
        int at = buffer.offset();
        byte[] data = buffer.readBytes();
        if (!isPart(globalBytes) || !isPart(branchBytes) || globalBytes + branchBytes > data.length) {
            throw new MalformedException("an Xid at offset=" + at + " would have parts of " + globalBytes + " and "
                    + branchBytes + " bytes in " + data.length);
        }
        byte[] global = Arrays.copyOf(data, globalBytes);
        byte[] branch = Arrays.copyOfRange(data, globalBytes, globalBytes + branchBytes);
        Fields fields = new Fields()
                .put(FORMAT, format)
                .put(GLOBAL, HEX.formatHex(global))
                .put(BRANCH, HEX.formatHex(branch));
        BranchId id = BranchId.of(format, global, branch);
        if (id.isNarayanas()) {
            addOwn(id, branch, fields);
        }
        return fields;
    }

    private static boolean isPart(int length) {
        return length >= 0 && length <= MAX_PART_BYTES;
    }

    private static void addOwn(BranchId id, byte[] branch, Fields fields) {
        id.transaction().ifPresent(uid -> fields.put("transaction", NarayanaUid.text(uid)));
        id.node().ifPresent(node -> fields.put("node", node));
        int head = NarayanaUid.BYTES + 2 * Integer.BYTES;
        if (branch.length >= head) {
            ByteBuffer numbers = ByteBuffer.wrap(branch, NarayanaUid.BYTES, 2 * Integer.BYTES);
            fields.put("branchUid", NarayanaUid.text(branch, 0));
            fields.put("eisName", numbers.getInt());
            int nameBytes = numbers.getInt();
            if (nameBytes > 0 && nameBytes <= branch.length - head) {
                fields.put("subordinateNode", text(branch, head, head + nameBytes));
            }
        }
    }

    private static String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }
}
