package io.tallystick.narayana.recover;

import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter;
import com.arjuna.ats.jta.xa.XATxConverter;
import io.tallystick.narayana.drain.UnprovenBranches;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import java.util.Optional;
import java.util.function.Predicate;
import javax.transaction.xa.Xid;

/**
 * Leaves a branch alone that only seems to have no record. Recovery rolls back a branch without one.
 *
 * <p>Every branch, once another process has the log. This process reads records from its memory, and the node that has
 * come back writes records that are not in it. So a write that passes the fence proves before each vote that the log is
 * still this process' own.
 *
 * <p>A branch whose record was given up, or forgotten by hand. Narayana's filter looks for a record where recovery
 * finishes transactions, and not where its expiry scanner has put it (JTATransactionLogXAResourceOrphanFilter, 7.3.4).
 * The record may say that the transaction is committed.
 */
public final class OwnLogFilter implements XAResourceOrphanFilter {
    private static final StateKey PROOF = StateKey.of("/Tallystick/RecoverNode", ObjectId.of(new byte[] {1}));

    private final ObjectStore log;
    private final Predicate<ObjectId> isForgotten;

    /** A filter for the process that has adopted this log, of which no record was forgotten. */
    public OwnLogFilter(ObjectStore log) {
        this(log, transaction -> false);
    }

    /**
     * A filter for the process that has adopted this log.
     *
     * @param isForgotten whether the record of the transaction with this Uid was forgotten by hand
     */
    public OwnLogFilter(ObjectStore log, Predicate<ObjectId> isForgotten) {
        this.log = log;
        this.isForgotten = isForgotten;
    }

    @Override
    public Vote checkXid(Xid xid) {
        if (xid.getFormatId() != XATxConverter.FORMAT_ID) {
            return Vote.ABSTAIN; // no other filter votes for the rollback of such a branch
        }
        try {
            prove();
            Optional<String> doubt = BranchId.of(
                            xid.getFormatId(), xid.getGlobalTransactionId(), xid.getBranchQualifier())
                    .transaction()
                    .flatMap(this::doubt);
            doubt.ifPresent(UnprovenBranches::add);
            return doubt.isPresent() ? Vote.LEAVE_ALONE : Vote.ABSTAIN;
        } catch (StoreException notOurs) {
            UnprovenBranches.addUnowned(notOurs.getMessage());
            return Vote.LEAVE_ALONE;
        }
    }

    private Optional<String> doubt(ObjectId transaction) {
        boolean isGivenUp = log.types().stream()
                .filter(NarayanaRecords::isGivenUp)
                .anyMatch(type -> log.statusOf(StateKey.of(type, transaction)) != StateStatus.ABSENT);
        if (!isGivenUp && !isForgotten.test(transaction)) {
            return Optional.empty();
        }
        return Optional.of("its record uid=" + NarayanaUid.text(transaction)
                + (isGivenUp ? " was given up" : " was forgotten by hand")
                + ", and may have decided to commit it; see docs/three-in-the-morning.md");
    }

    /**
     * Proves by a write that passes the fence that the log is this process' own.
     *
     * @throws StoreException it is not
     */
    public void prove() {
        log.write(PROOF, new byte[1], Durability.FORCED);
    }

    /** Removes what the filter has written, also what a killed process has left. */
    public void clear() {
        log.remove(PROOF, Durability.DEFERRED);
    }
}
