package io.tallystick.narayana;

import com.arjuna.ats.internal.jta.transaction.arjunacore.AtomicAction;
import io.tallystick.reaper.Registration;

/**
 * A transaction of Narayana whose time limit our reaper keeps. To Narayana it has none, so its own reaper never meets
 * it; in everything else it is an {@link AtomicAction}, and lies in the log under the same type.
 *
 * <p>Narayana takes a transaction from its reaper when {@code commit}, {@code abort}, {@code end} or {@code cancel}
 * returns, and not when one of them throws. The same holds here.
 */
final class TimedAction extends AtomicAction {
    // Null until begun, and for a transaction without a time limit. Written once by the thread that begins and not
    // volatile,
    // which would cost as much as the whole registration: who gets the transaction from that thread sees it, and the
    // one
    // who need not see it, the reaper's worker, comes when there is nothing left to take from the reaper.
    private Registration registration;

    /** Begins, on the calling thread; the reaper does not know it yet. */
    void beginUnwatched(int seconds) {
        begin(NO_TIMEOUT);
        _timeout = seconds; // what resources and users are told
    }

    void watchedBy(Registration given) {
        registration = given;
    }

    /** Null if it has no time limit. */
    Registration registration() {
        return registration;
    }

    @Override
    public int commit(boolean reportHeuristics) {
        int status = super.commit(reportHeuristics);
        endTimeLimit();
        return status;
    }

    @Override
    public int abort() {
        int status = super.abort();
        endTimeLimit();
        return status;
    }

    @Override
    public int end(boolean reportHeuristics) {
        int outcome = super.end(reportHeuristics);
        endTimeLimit();
        return outcome;
    }

    @Override
    public int cancel() {
        int outcome = super.cancel();
        endTimeLimit();
        return outcome;
    }

    private void endTimeLimit() {
        Registration current = registration;
        if (current != null) {
            current.cancel();
        }
    }
}
