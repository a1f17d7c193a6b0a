package io.tallystick.narayana.audit;

import io.tallystick.narayana.doubt.LastErrors;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.Decision;
import io.tallystick.narayana.recover.Resources.Source;
import io.tallystick.store.spi.StoreThread;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** Ends one branch at the first resource that lists it, within a time. */
public final class BranchEnding {
    private final List<Source> sources;
    private final BranchId branch;
    private final Decision outcome;
    // By the thread that ends the branch, and read after it or after its time.
    private volatile boolean isBegun;

    /** @param outcome {@link Decision#COMMIT} or {@link Decision#ROLLBACK} */
    public BranchEnding(List<Source> sources, BranchId branch, Decision outcome) {
        this.sources = List.copyOf(sources);
        this.branch = branch;
        this.outcome = outcome;
    }

    /** What came of it. */
    public enum Result {
        /** The resource has done it. */
        ENDED,
        /** No resource lists the branch. */
        NOT_FOUND,
        /** The resource refused, and the branch may be as it was. */
        REFUSED,
        /** The resource gave no answer: the branch may have ended or not. */
        UNKNOWN
    }

    /**
     * The answer.
     *
     * @param result what came of it
     * @param text the reason, for people
     */
    public record Answer(Result result, String text) {}

    /**
     * Ends the branch.
     *
     * @param permission is asked right before; it throws if the log is not this process' own any more
     */
    public Answer end(Runnable permission, Duration atMost) {
        FutureTask<Answer> ending = new FutureTask<>(() -> ended(permission));
        Thread thread = StoreThread.of(ending, "tallystick-settle");
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.start();
        try {
            return ending.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            return new Answer(isBegun ? Result.UNKNOWN : Result.REFUSED, AskedResources.text(failed.getCause()));
        } catch (TimeoutException hangs) {
            return new Answer(isBegun ? Result.UNKNOWN : Result.REFUSED, "it gave no answer in time");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Answer(isBegun ? Result.UNKNOWN : Result.REFUSED, "it was interrupted");
        }
    }

    private Answer ended(Runnable permission) throws Exception {
        for (Source source : sources) {
            for (XAResource resource : source.resources()) {
                Optional<Xid> found = listed(resource);
                if (found.isPresent()) {
                    permission.run();
                    return ended(resource, found.get());
                }
            }
        }
        return new Answer(Result.NOT_FOUND, "no resource lists the branch");
    }

    private Answer ended(XAResource resource, Xid xid) {
        isBegun = true;
        try {
            if (outcome == Decision.COMMIT) {
                resource.commit(xid, false);
            } else {
                resource.rollback(xid);
            }
            return new Answer(Result.ENDED, outcome.label());
        } catch (XAException refused) {
            boolean isUncertain =
                    refused.errorCode == XAException.XAER_RMFAIL || refused.errorCode == XAException.XAER_RMERR;
            return new Answer(isUncertain ? Result.UNKNOWN : Result.REFUSED, LastErrors.text(refused));
        }
    }

    private Optional<Xid> listed(XAResource resource) throws XAException {
        for (int flag : new int[] {XAResource.TMSTARTRSCAN, XAResource.TMENDRSCAN}) {
            Xid[] answer = resource.recover(flag);
            for (Xid xid : answer == null ? new Xid[0] : answer) {
                if (xid != null && LastErrors.idOf(xid).equals(branch)) {
                    if (flag == XAResource.TMSTARTRSCAN) {
                        resource.recover(XAResource.TMENDRSCAN);
                    }
                    return Optional.of(xid);
                }
            }
        }
        return Optional.empty();
    }
}
