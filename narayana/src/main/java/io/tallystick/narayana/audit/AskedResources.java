package io.tallystick.narayana.audit;

import io.tallystick.narayana.doubt.LastErrors;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.recover.Resources.Source;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * Asks resources for their prepared branches, all within one time. One that hangs or fails hides no other. A resource
 * that hangs is not asked again.
 */
public final class AskedResources {
    private final Map<String, Source> sources;
    // Those that hang.
    private final Set<XAResource> hanging = Questions.noResources();
    private final LongSupplier nanoTime;

    /** @param nanoTime monotonic time, nanoseconds */
    public AskedResources(List<Source> sources, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.sources = named(sources);
    }

    /** The sources by their names, in their order. */
    static Map<String, Source> named(List<Source> sources) {
        Map<String, Source> named = new LinkedHashMap<>();
        for (Source source : sources) {
            named.put(nameOf(named.size() + 1, source), source);
        }
        return named;
    }

    /** The name of a source for people: several may be of one class. */
    private static String nameOf(int number, Source source) {
        return "helper " + number + " (" + source.name() + ")";
    }

    /**
     * The answers to one question.
     *
     * @param branches the branches that are prepared, with the name of the resource that lists each
     * @param problems the sources and resources that did not answer, with the reason
     */
    public record Look(Map<BranchId, String> branches, Map<String, String> problems) {
        public Look {
            branches = Map.copyOf(branches);
            problems = Map.copyOf(problems);
        }
    }

    /** Asks all sources and resources that do not hang since an earlier look. */
    public Look look(Duration atMost) {
        long begun = nanoTime.getAsLong();
        Questions<Map<BranchId, String>> questions =
                Questions.to(sources, hanging, "tallystick-audit", AskedResources::branchesOf);
        Map<BranchId, String> branches = new LinkedHashMap<>();
        Map<String, String> problems = new LinkedHashMap<>();
        questions.first(
                answer -> {
                    branches.putAll(answer);
                    return false;
                },
                () -> atMost.toNanos() - (nanoTime.getAsLong() - begun),
                problems);
        sources.keySet().removeIf(questions::isWithoutAnswer);
        hanging.addAll(questions.unanswered());
        return new Look(branches, problems);
    }

    /** The text of a failure, on one line. */
    public static String text(Throwable failed) {
        return failed instanceof XAException refused
                ? LastErrors.text(refused)
                : failed.toString().replaceAll("\\p{C}", "?");
    }

    private static Map<BranchId, String> branchesOf(String source, XAResource resource) throws XAException {
        Map<BranchId, String> branches = new LinkedHashMap<>();
        String name = Questions.nameOf(resource).orElse(source);
        branchesOf(resource).forEach(branch -> branches.put(branch, name));
        return branches;
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
