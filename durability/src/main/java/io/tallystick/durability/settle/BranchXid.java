package io.tallystick.durability.settle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Random;
import javax.transaction.xa.Xid;

/**
 * An Xid of parts in hexadecimal digits.
 *
 * @param format the format
 * @param global the global transaction id
 * @param branch the branch qualifier
 */
record BranchXid(int format, String global, String branch) implements Xid {
    /** The bytes of Narayana's Uid, with which the global part of one of its own Xids begins. */
    static final int UID_BYTES = 28;

    private static final HexFormat HEX = HexFormat.of();
    private static final int NARAYANAS = 131077;
    private static final int FOREIGN = 4711;

    static BranchXid of(Xid xid) {
        return new BranchXid(
                xid.getFormatId(),
                HEX.formatHex(xid.getGlobalTransactionId()),
                HEX.formatHex(xid.getBranchQualifier()));
    }

    /** That of a branch whose file has this name. */
    static BranchXid ofFile(Path file) {
        String[] parts = file.getFileName().toString().split("[-.]");
        return new BranchXid(Integer.parseInt(parts[0], 16), parts[1], parts[2]);
    }

    /** That of a transaction of this node. */
    static BranchXid ofNode(Random random, String node) {
        return ofNode(random, node, "");
    }

    /** That of a transaction of this node which another one has imported; the other one is empty if none has. */
    static BranchXid ofNode(Random random, String node, String importer) {
        byte[] uid = new byte[UID_BYTES];
        random.nextBytes(uid);
        ByteBuffer qualifier = ByteBuffer.allocate(UID_BYTES + 2 * Integer.BYTES + importer.length());
        qualifier.put(uid).putInt(1).putInt(importer.length()).put(importer.getBytes(StandardCharsets.US_ASCII));
        uid[0] ^= 1;
        return new BranchXid(
                NARAYANAS,
                HEX.formatHex(uid) + HEX.formatHex(node.getBytes(StandardCharsets.US_ASCII)),
                HEX.formatHex(qualifier.array()));
    }

    /** That of another transaction manager. */
    static BranchXid ofAnotherManager(Random random) {
        byte[] bytes = new byte[UID_BYTES];
        random.nextBytes(bytes);
        return new BranchXid(FOREIGN, HEX.formatHex(bytes), HEX.formatHex(bytes, 0, UID_BYTES / 2));
    }

    /** The Uid of the transaction, in hexadecimal digits, if this is one of Narayana's. */
    String uid() {
        return global.substring(0, Math.min(global.length(), 2 * UID_BYTES));
    }

    String fileName() {
        return HEX.toHexDigits(format) + '-' + global + '-' + branch;
    }

    @Override
    public int getFormatId() {
        return format;
    }

    @Override
    public byte[] getGlobalTransactionId() {
        return HEX.parseHex(global);
    }

    @Override
    public byte[] getBranchQualifier() {
        return HEX.parseHex(branch);
    }

    /** As the commands write it. */
    @Override
    public String toString() {
        return format + ":" + global + ":" + branch;
    }
}
