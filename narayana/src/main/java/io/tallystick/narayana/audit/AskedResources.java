package io.tallystick.narayana.audit;

import io.tallystick.narayana.doubt.LastErrors;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.recover.Resources.Source;
import io.tallystick.store.spi.StoreThread;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.jboss.tm.XAResourceWrapper;

/**
 * Asks resources for their prepared branches, each source on a thread of its own, all within one time. A resource that
 * hangs is left to its thread, which ends with the process, and is not asked again.
 */
public final class AskedResources {
    private final Map<String, Source> sources = new LinkedHashMap<>();
    private final LongSupplier nanoTime;

    /** @param nanoTime monotonic time, nanoseconds */
    public AskedResources(List<Source> sources, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        int number = 0;
        for (Source source : sources) {
            this.sources.put(nameOf(++number, source), source);
        }
    }

    /** The name of a source for people: several may be of one class. */
    static String nameOf(int number, Source source) {
        return "helper " + number + " (" + source.name() + ")";
    }

    /**
     * The answers to one question.
     *
     * @param branches the branches that are prepared, with the name of the resource that lists each
     * @param problems the sources that did not answer, with the reason
     */
    public record Look(Map<BranchId, String> branches, Map<String, String> problems) {
        public Look {
            branches = Map.copyOf(branches);
            problems = Map.copyOf(problems);
        }
    }

    /** Asks all sources that have answered so far. */
    public Look look(Duration atMost) {
        long begun = nanoTime.getAsLong();
        Map<String, FutureTask<Map<BranchId, String>>> asked = new LinkedHashMap<>();
        sources.forEach((name, source) -> {
            FutureTask<Map<BranchId, String>> question = new FutureTask<>(() -> branchesOf(name, source));
            asked.put(name, question);
            Thread thread = StoreThread.of(question, "tallystick-audit");
            // Drivers look for their classes there.
            thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
            thread.start();
        });
        Map<BranchId, String> branches = new LinkedHashMap<>();
        Map<String, String> problems = new LinkedHashMap<>();
        asked.forEach((name, question) -> {
            long left = atMost.toNanos() - (nanoTime.getAsLong() - begun);
            answer(question, Math.max(0, left), branches).ifPresent(problem -> problems.put(name, problem));
        });
        sources.keySet().removeIf(name -> !asked.get(name).isDone());
        return new Look(branches, problems);
    }

    private static Optional<String> answer(
            FutureTask<Map<BranchId, String>> question, long leftNanos, Map<BranchId, String> branches) {
        try {
            branches.putAll(question.get(leftNanos, TimeUnit.NANOSECONDS));
            return Optional.empty();
        } catch (ExecutionException failed) {
            return Optional.of(text(failed.getCause()));
        } catch (TimeoutException hangs) {
            return Optional.of("it gave no answer in time");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Optional.of("the audit was interrupted");
        }
    }

    /** The text of a failure, on one line. */
    public static String text(Throwable failed) {
        return failed instanceof XAException refused
                ? LastErrors.text(refused)
                : failed.toString().replaceAll("\\p{C}", "?");
    }

    private static Map<BranchId, String> branchesOf(String source, Source asked) throws Exception {
        Map<BranchId, String> branches = new LinkedHashMap<>();
        for (XAResource resource : asked.resources()) {
            String name = nameOf(resource).orElse(source);
            for (BranchId branch : branchesOf(resource)) {
                branches.put(branch, name);
            }
        }
        return branches;
    }

    private static Optional<String> nameOf(XAResource resource) {
        return resource instanceof XAResourceWrapper wrapper
                ? Optional.ofNullable(wrapper.getJndiName())
                : Optional.empty();
    }

    // As recovery asks: some resources answer the beginning of a scan, others its end.
    private static Set<BranchId> branchesOf(XAResource resource) throws XAException {
        Set<BranchId> branches = new HashSet<>();
        for (int flag : new int[] {XAResource.TMSTARTRSCAN, XAResource.TMENDRSCAN}) {
            Xid[] answer = resource.recover(flag);
            for (Xid xid : answer == null ? new Xid[0] : answer) {
                if (xid != null) {
                    branches.add(LastErrors.idOf(xid));
                }
            }
        }
        return branches;
    }
}
