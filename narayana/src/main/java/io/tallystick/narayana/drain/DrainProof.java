package io.tallystick.narayana.drain;

import java.util.Optional;

/**
 * The proof that no resource holds a branch of this process any more. An empty log does not prove it: only recovery
 * rolls back a prepared branch whose transaction never wrote its record.
 *
 * <p>After the end of the last transaction, a first complete scan sees every branch. Recovery rolls back the branches
 * that it has known for the orphan safety interval. So two more complete scans, begun that long after the first, leave
 * no branch: one rolls back, and one finds that all resources still answer.
 *
 * <p>Only the draining thread uses it.
 */
public final class DrainProof {
    /** The complete scans that the proof needs after the first one. */
    public static final int SCANS = 2;

    private final long safetyNanos;
    private boolean isIdle;
    private long idleSinceNanos;
    private boolean isFirstScanDone;
    // Of any time: what follows a scan is no matter of a start that takes long.
    private boolean hasScanned;
    private long firstSeenNanos;
    private int scans;
    private String problem =
            "the first scan of recovery has not ended; a resource may not answer, or recovery is suspended";

    /** @param safetyNanos the orphan safety interval */
    public DrainProof(long safetyNanos) {
        this.safetyNanos = safetyNanos;
    }

    /** A transaction is active: earlier scans count no more. */
    public void transactionIsActive() {
        isIdle = false;
        isFirstScanDone = false;
        scans = 0;
    }

    /** No transaction is active at this time. */
    public void noTransactionIsActive(long nowNanos) {
        if (!isIdle) {
            isIdle = true;
            idleSinceNanos = nowNanos;
        }
    }

    /** Whether a scan that begins now would count for the proof. */
    public boolean needsScan(long nowNanos) {
        return isIdle && (!isFirstScanDone || nowNanos - firstSeenNanos >= safetyNanos);
    }

    /** Takes a scan into account. */
    public void add(RecoveryScan.Result scan) {
        Optional<String> why = scan.problem();
        if (why.isPresent()) {
            problem = why.get();
        } else if (isIdle && scan.begunNanos() - idleSinceNanos >= 0) {
            hasScanned = true;
            if (!isFirstScanDone) {
                isFirstScanDone = true;
                firstSeenNanos = scan.seenNanos();
            } else if (scan.begunNanos() - firstSeenNanos >= safetyNanos) {
                scans++;
            }
            problem = "the time was too short: after the last transaction recovery must scan once, and " + SCANS
                    + " times more after the orphan safety interval";
        }
    }

    /** A scan was begun and has not ended in the time that was left. */
    public void scanHasNotEnded() {
        if (hasScanned) {
            problem = "a scan of recovery has not ended: the time was too short, a resource does not answer, or"
                    + " recovery is suspended";
        }
    }

    /** Whether no branch is left. */
    public boolean isGiven() {
        return scans >= SCANS;
    }

    /** The reason why the proof is not given. */
    public String problem() {
        return problem;
    }
}
