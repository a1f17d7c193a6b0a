package io.tallystick.narayana.logs.record;

import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.store.ObjectId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The Xid of a branch. In one of Narayana's own formats the global part is the Uid of the transaction and then the name
 * of the node.
 *
 * @param format the format of the Xid
 * @param global the global transaction id, hexadecimal digits
 * @param branch the branch qualifier, hexadecimal digits
 */
public record BranchId(int format, String global, String branch) {
    private static final HexFormat HEX = HexFormat.of();
    // A Uid and the four bytes of the resource's name.
    private static final int SUBORDINATE_AT = NarayanaUid.BYTES + Integer.BYTES;
    private static final Set<Integer> OWN_FORMATS = Set.of(131072, 131073, 131074, 131077, 131080, 131081);

    public BranchId {
        Objects.requireNonNull(global);
        Objects.requireNonNull(branch);
    }

    /** The Xid with these parts. */
    public static BranchId of(int format, byte[] global, byte[] branch) {
        return new BranchId(format, HEX.formatHex(global), HEX.formatHex(branch));
    }

    /** The Xid that {@link Branch} has read; empty if it was a serialized object. */
    static Optional<BranchId> of(Object xid) {
        if (xid instanceof Fields fields
                && fields.get(Branch.FORMAT) instanceof Integer format
                && fields.get(Branch.GLOBAL) instanceof String global
                && fields.get(Branch.BRANCH) instanceof String branch) {
            return Optional.of(new BranchId(format, global, branch));
        }
        return Optional.empty();
    }

    /**
     * The Xid that {@link #toString} has printed.
     *
     * @throws IllegalArgumentException the text is none
     */
    public static BranchId parse(String text) {
        String[] parts = text.split(":", -1);
        try {
            if (parts.length == 3) {
                return of(Integer.parseInt(parts[0]), HEX.parseHex(parts[1]), HEX.parseHex(parts[2]));
            }
        } catch (IllegalArgumentException noNumberOrDigits) {
            throw new IllegalArgumentException(refusal(text), noNumberOrDigits);
        }
        throw new IllegalArgumentException(refusal(text));
    }

    private static String refusal(String text) {
        return "'" + text + "' is no Xid; write FORMAT:GLOBAL:BRANCH, the two parts as hexadecimal digits";
    }

    /** Whether the format is one of Narayana's own. */
    public boolean isNarayanas() {
        return OWN_FORMATS.contains(format);
    }

    /** The global transaction id; a new array. */
    public byte[] globalBytes() {
        return HEX.parseHex(global);
    }

    /** The branch qualifier; a new array. */
    public byte[] branchBytes() {
        return HEX.parseHex(branch);
    }

    /** The Uid of the transaction, as the log has it for the id of its record; empty for another format. */
    public Optional<ObjectId> transaction() {
        byte[] bytes = globalBytes();
        return isNarayanas() && bytes.length >= NarayanaUid.BYTES
                ? Optional.of(ObjectId.of(Arrays.copyOf(bytes, NarayanaUid.BYTES)))
                : Optional.empty();
    }

    /** The node that began the transaction; empty for another format. */
    public Optional<String> node() {
        byte[] bytes = globalBytes();
        return isNarayanas() && bytes.length >= NarayanaUid.BYTES
                ? Optional.of(
                        new String(bytes, NarayanaUid.BYTES, bytes.length - NarayanaUid.BYTES, StandardCharsets.UTF_8))
                : Optional.empty();
    }

    /**
     * The node that has imported the transaction and made the branch, which alone knows about it; empty if the branch
     * is of the node that began the transaction. Narayana's {@code XATxConverter.setSubordinateNodeName} (7.3) puts it
     * into the branch qualifier: a Uid, four bytes of the resource's name, four bytes with the length of the node's
     * name, the name.
     */
    public Optional<String> subordinateNode() {
        ByteBuffer bytes = ByteBuffer.wrap(branchBytes());
        if (!isNarayanas() || bytes.limit() < SUBORDINATE_AT + Integer.BYTES) {
            return Optional.empty();
        }
        int length = bytes.getInt(SUBORDINATE_AT);
        int from = SUBORDINATE_AT + Integer.BYTES;
        return length <= 0
                ? Optional.empty()
                : Optional.of(new String(
                        bytes.array(), from, Math.min(length, bytes.limit() - from), StandardCharsets.UTF_8));
    }

    /** {@code FORMAT:GLOBAL:BRANCH}. */
    @Override
    public String toString() {
        return format + ":" + global + ":" + branch;
    }
}
