package io.tallystick.narayana.audit;

import io.tallystick.narayana.doubt.LastErrors;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.Decision;
import io.tallystick.narayana.recover.Resources.Source;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.StoreException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * Ends one branch at a resource that lists it, within a time. All resources are asked at once. The first one that lists
 * the branch ends it, in the order of the sources. Those before it are waited for half of the time.
 */
public final class BranchEnding {
    private static final String THREADS = "tallystick-settle";

    private final List<Source> sources;
    private final BranchId branch;
    private final Decision outcome;
    // Either the deed begins, or its time is over before: never both.
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.LOOKING);
    // What is asked now, for the case that it hangs.
    private volatile String asked = "the helpers";

    /** @param outcome {@link Decision#COMMIT} or {@link Decision#ROLLBACK} */
    public BranchEnding(List<Source> sources, BranchId branch, Decision outcome) {
        this.sources = List.copyOf(sources);
        this.branch = branch;
        this.outcome = outcome;
    }

    private enum Phase {
        LOOKING,
        BEGUN,
        GIVEN_UP
    }

    /** What came of it. */
    public enum Result {
        /** The resource has done it. */
        ENDED,
        /** The resource has decided on its own; the text has its answer. */
        DECIDED_ALONE,
        /** Each resource answered, and none lists the branch. */
        NOT_FOUND,
        /** No resource was told to end the branch: the time was over, or one that may have it did not answer. */
        NOT_TOUCHED,
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
     * @throws StoreException the permission was refused, and no resource was touched
     */
    public Answer end(Runnable permission, Duration atMost) {
        FutureTask<Answer> ending = Questions.begun(THREADS, () -> ended(permission, atMost.dividedBy(2)));
        try {
            return ending.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            if (phase.get() != Phase.BEGUN && failed.getCause() instanceof StoreException notOurs) {
                throw notOurs;
            }
            return givenUp(AskedResources.text(failed.getCause()));
        } catch (TimeoutException hangs) {
            return givenUp(asked + ": it gave no answer in time");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return givenUp("it was interrupted");
        }
    }

    private Answer givenUp(String why) {
        boolean isBefore = phase.compareAndSet(Phase.LOOKING, Phase.GIVEN_UP);
        return new Answer(isBefore ? Result.NOT_TOUCHED : Result.UNKNOWN, why);
    }

    private Answer ended(Runnable permission, Duration looking) {
        long begun = NanoClock.SYSTEM.nanoTime();
        Map<String, String> problems = new LinkedHashMap<>();
        Optional<Found> found = Questions.to(
                        AskedResources.named(sources), Questions.noResources(), THREADS, this::found)
                .first(
                        each -> each.xid().isPresent(),
                        () -> looking.toNanos() - (NanoClock.SYSTEM.nanoTime() - begun),
                        problems);
        if (found.isEmpty()) {
            return problems.isEmpty()
                    ? new Answer(Result.NOT_FOUND, "no resource lists the branch")
                    : new Answer(
                            Result.NOT_TOUCHED,
                            "no resource that answered lists the branch, and others gave no answer: "
                                    + problems.entrySet().stream()
                                            .map(each -> each.getKey() + ": " + each.getValue())
                                            .toList());
        }
        asked = "the log";
        permission.run();
        asked = found.get().source();
        return phase.compareAndSet(Phase.LOOKING, Phase.BEGUN)
                ? ended(found.get().resource(), found.get().xid().orElseThrow())
                : new Answer(Result.NOT_TOUCHED, "its time was over");
    }

    private record Found(String source, XAResource resource, Optional<Xid> xid) {}

    private Found found(String source, XAResource resource) throws XAException {
        return new Found(source, resource, listed(resource));
    }

    private Answer ended(XAResource resource, Xid xid) {
        try {
            if (outcome == Decision.COMMIT) {
                resource.commit(xid, false);
            } else {
                resource.rollback(xid);
            }
            return new Answer(Result.ENDED, outcome.label());
        } catch (XAException refused) {
            return new Answer(resultOf(refused.errorCode), LastErrors.text(refused));
        }
    }

    // The X/Open XA specification has the codes. XAER_NOTA: another process has ended it since it was listed.
    private Result resultOf(int code) {
        boolean isRolledBack = code >= XAException.XA_RBBASE && code <= XAException.XA_RBEND;
        if (isRolledBack && outcome == Decision.ROLLBACK) {
            return Result.ENDED;
        }
        return switch (code) {
            case XAException.XA_HEURHAZ, XAException.XA_HEURCOM, XAException.XA_HEURRB, XAException.XA_HEURMIX ->
                Result.DECIDED_ALONE;
            case XAException.XAER_RMFAIL, XAException.XAER_RMERR, XAException.XAER_NOTA -> Result.UNKNOWN;
            default -> isRolledBack ? Result.DECIDED_ALONE : Result.REFUSED;
        };
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
