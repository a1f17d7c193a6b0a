package io.tallystick.narayana.doubt;

import com.arjuna.ats.jta.utils.XAHelper;
import io.tallystick.narayana.logs.record.BranchId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.transaction.xa.XAException;
import javax.transaction.xa.Xid;

/**
 * The last errors of branches in this process, as far as a resource of ours was asked to end them. Narayana itself
 * keeps none. At most {@value #KEPT} are kept; further branches have none.
 */
public final class LastErrors {
    static final int KEPT = 1_000;
    private static final int MAX_CHARS = 200;

    private static final Map<BranchId, String> LAST = new ConcurrentHashMap<>();

    private LastErrors() {}

    /** A resource has refused to end this branch. */
    public static void add(Xid xid, XAException refused) {
        BranchId branch = idOf(xid);
        if (LAST.size() < KEPT || LAST.containsKey(branch)) {
            LAST.put(branch, text(refused));
        }
    }

    /** A resource has ended this branch. */
    public static void remove(Xid xid) {
        LAST.remove(idOf(xid));
    }

    /** Whether the last error of any branch is known. */
    static boolean isAny() {
        return !LAST.isEmpty();
    }

    /** The last error of this branch; empty if none is known. */
    public static Optional<String> of(BranchId branch) {
        return Optional.ofNullable(LAST.get(branch));
    }

    /** The branch of this Xid. */
    public static BranchId idOf(Xid xid) {
        return BranchId.of(xid.getFormatId(), xid.getGlobalTransactionId(), xid.getBranchQualifier());
    }

    /** The name of the error's code, and its text; control characters are replaced. */
    public static String text(XAException refused) {
        String code = XAHelper.printXAErrorCode(refused);
        String text = refused.getMessage() == null ? code : code + ": " + refused.getMessage();
        String printable = text.replaceAll("\\p{C}", "?");
        return printable.length() <= MAX_CHARS ? printable : printable.substring(0, MAX_CHARS);
    }
}
