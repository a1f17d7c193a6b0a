package io.tallystick.narayana;

import com.arjuna.ats.internal.jta.transaction.arjunacore.AtomicAction;
import io.tallystick.reaper.Registration;

/**
 * A transaction of Narayana whose time limit our reaper keeps. To Narayana it has none, so Narayana's reaper never gets
 * it. In everything else it is an {@link AtomicAction}, and has the same type in the log.
 *
 * <p>Narayana takes a transaction from its reaper when {@code commit}, {@code abort}, {@code end} or {@code cancel}
 * returns, and not when one of them throws. The same holds here.
 */
final class TimedAction extends AtomicAction {
    // Null until the transaction begins, and without a time limit. Written once by the thread that begins. It is not
    // volatile, because that would cost as much as the whole registration. A thread that gets the transaction from that
    // thread sees it. Only the reaper's worker may miss it, and by then the registration is already removed.
    private Registration registration;

    /** Begins on the calling thread. The reaper does not have it yet. */
    void beginUnwatched(int seconds) {
        begin(NO_TIMEOUT);
        _timeout = seconds; // the time limit that resources and users see
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
