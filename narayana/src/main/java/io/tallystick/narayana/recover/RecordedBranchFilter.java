package io.tallystick.narayana.recover;

import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter;
import io.tallystick.narayana.drain.UnprovenBranches;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.store.StoreException;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.transaction.xa.Xid;

/**
 * Leaves a branch alone whose transaction has a record that recovery does not look for, see {@link RecordsAside}.
 * Narayana's own filter looks for a record only where recovery finishes transactions
 * (JTATransactionLogXAResourceOrphanFilter, 7.3.4), so recovery would roll back what was decided to commit.
 *
 * <p>One filter that votes for leaving a branch alone is enough, whatever the others vote, in any order
 * (XARecoveryModule.handleOrphan, 7.3.4). This one never votes for a rollback. It judges Xids of every format: a branch
 * of an imported transaction has that of its parent (SubordinateJTAXAResourceOrphanFilter, 7.3.4).
 *
 * <p>The log has one line for each such branch (TALLY0428), as long as it is among the last {@value #TOLD} of them.
 */
public final class RecordedBranchFilter implements XAResourceOrphanFilter {
    static final int TOLD = 1_000;

    private static final System.Logger LOG = System.getLogger(RecordedBranchFilter.class.getName());

    private final Supplier<Optional<RecordsAside>> log;
    private final Set<Object> told = Collections.synchronizedSet(Collections.newSetFromMap(new Bounded()));

    /**
     * A filter for a process.
     *
     * @param log the records of the log that recovery has now, asked for at each vote; empty if it is no log of ours
     *     any more, so that nothing tells which records there were
     */
    public RecordedBranchFilter(Supplier<Optional<RecordsAside>> log) {
        this.log = log;
    }

    @Override
    public Vote checkXid(Xid xid) {
        BranchId branch = BranchId.of(xid.getFormatId(), xid.getGlobalTransactionId(), xid.getBranchQualifier());
        try {
            Optional<RecordsAside> aside = log.get();
            if (aside.isEmpty()) {
                UnprovenBranches.addUnowned("recovery has another store now");
                return Vote.LEAVE_ALONE;
            }
            Optional<RecordsAside.Reason> reason = aside.get().of(branch);
            reason.filter(RecordsAside.Reason::isForPerson).ifPresent(known -> tell(branch, known));
            return reason.isPresent() ? Vote.LEAVE_ALONE : Vote.ABSTAIN;
        } catch (StoreException | IllegalArgumentException notOurs) { // or the log cannot be opened
            UnprovenBranches.addUnowned(notOurs.getMessage());
            return Vote.LEAVE_ALONE;
        } catch (IOException unreadable) {
            tellUnreadable(unreadable);
            return Vote.LEAVE_ALONE;
        }
    }

    private void tell(BranchId branch, RecordsAside.Reason reason) {
        UnprovenBranches.add(reason.text());
        if (told.add(branch)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0428 recovery leaves a branch alone for ever, xid=" + branch + ": " + reason.text()
                            + ". Its resource keeps its locks. Find out what was decided, and end the branch with"
                            + " io.tallystick.narayana.SettleBranch; see docs/three-in-the-morning.md");
        }
    }

    private void tellUnreadable(IOException unreadable) {
        UnprovenBranches.add(unreadable.getMessage());
        if (told.add(String.valueOf(unreadable.getMessage()))) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0429 recovery rolls back no branch without a record meanwhile: " + unreadable.getMessage()
                            + ". Let the process read these directories",
                    unreadable);
        }
    }

    /** The last ones that were put in. */
    private static final class Bounded extends LinkedHashMap<Object, Boolean> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Boolean> eldest) {
            return size() > TOLD;
        }
    }
}
