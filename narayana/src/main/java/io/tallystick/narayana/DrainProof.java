package io.tallystick.narayana;

import java.util.Optional;

/**
 * The proof that no resource holds a branch of this process any more. An empty log is no such proof: a branch that was
 * prepared, and whose transaction never came to its record, is rolled back by recovery alone.
 *
 * <p>After the last transaction has ended a first complete look sees every branch there is. Recovery rolls back those
 * that it has known for the orphan safety interval. So two more complete looks, begun that long after the first,
 * leave nothing: one does the work and one finds that all resources still answer.
 *
 * <p>For the thread that drains.
 */
final class DrainProof {
    /** The looks that count. */
    static final int LOOKS = 2;

    private final long safetyNanos;
    private boolean isQuiet;
    private long quietNanos;
    private boolean isSeen;
    private long seenNanos;
    private int looks;
    private String problem =
            "the first look of recovery has not ended; a resource may not answer, or recovery is suspended";

    DrainProof(long safetyNanos) {
        this.safetyNanos = safetyNanos;
    }

    /** A transaction is active: whatever was seen before counts no more. */
    void transactionIsActive() {
        isQuiet = false;
        isSeen = false;
        looks = 0;
    }

    /** None is active at this time. */
    void noTransactionIsActive(long nowNanos) {
        if (!isQuiet) {
            isQuiet = true;
            quietNanos = nowNanos;
        }
    }

    /** Whether a look that begins now would bring the proof on. */
    boolean wantsLook(long nowNanos) {
        return isQuiet && (!isSeen || nowNanos - seenNanos >= safetyNanos);
    }

    void add(RecoveryScan.Look look) {
        Optional<String> why = look.problem();
        if (why.isPresent()) {
            problem = why.get();
        } else if (isQuiet && look.begunNanos() - quietNanos >= 0) {
            if (!isSeen) {
                isSeen = true;
                seenNanos = look.seenNanos();
            } else if (look.begunNanos() - seenNanos >= safetyNanos) {
                looks++;
            }
            problem = "the time was too short: after the last transaction recovery must look once, and " + LOOKS
                    + " times more after the orphan safety interval";
        }
    }

    boolean isGiven() {
        return looks >= LOOKS;
    }

    /** Why it is not given. */
    String problem() {
        return problem;
    }
}
