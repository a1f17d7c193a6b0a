package io.tallystick.narayana.night;

import com.arjuna.ats.arjuna.common.Uid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import javax.transaction.xa.Xid;

/**
 * An Xid of parts in hexadecimal digits.
 *
 * @param format the format
 * @param global the global transaction id
 * @param branch the branch qualifier
 */
record NightXid(int format, String global, String branch) implements Xid {
    private static final HexFormat HEX = HexFormat.of();
    private static final int NARAYANAS = 131077;

    /** That of a branch of a new transaction of this node. */
    static NightXid ofNode(String node) {
        byte[] uid = new Uid().getBytes();
        // Behind the Uid: the number of the resource, and the length of the name of an importer.
        ByteBuffer qualifier = ByteBuffer.allocate(uid.length + 2 * Integer.BYTES)
                .put(new Uid().getBytes())
                .putInt(1)
                .putInt(0);
        return new NightXid(
                NARAYANAS,
                HEX.formatHex(uid) + HEX.formatHex(node.getBytes(StandardCharsets.UTF_8)),
                HEX.formatHex(qualifier.array()));
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
}
