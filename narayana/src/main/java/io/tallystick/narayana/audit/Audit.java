package io.tallystick.narayana.audit;

import com.arjuna.ats.jta.xa.XATxConverter;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.InDoubtParticipant;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.narayana.logs.record.RecordState;
import io.tallystick.store.ObjectId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Judges what two looks at the resources and the log between them prove.
 *
 * <p>A branch counts that stands in both looks. The looks are an orphan safety interval apart, and the log was read at
 * the end of that time. So a branch of the node without a record was prepared that long ago, and its decision is not in
 * the log: recovery of the node would judge the same. What came or went between the looks is in flight.
 */
public final class Audit {
    private final String node;
    private final Duration interval;
    private final Instant now;

    /**
     * @param node the audited node
     * @param interval the orphan safety interval, for which the audit has waited
     * @param now the time of day
     */
    public Audit(String node, Duration interval, Instant now) {
        this.node = node;
        this.interval = interval;
        this.now = now;
    }

    /** The findings, where nothing was taken out of the log. */
    public AuditReport of(AskedResources.Look first, AuditedLog log, AskedResources.Look second) {
        return of(first, log, second, KeptAside.NOTHING);
    }

    /** The findings. */
    public AuditReport of(AskedResources.Look first, AuditedLog log, AskedResources.Look second, KeptAside aside) {
        List<Finding> findings = new ArrayList<>();
        AuditedLog.Index index = log.index(node);
        Map<String, Integer> foreign = new TreeMap<>();
        Map<Integer, Integer> formats = new TreeMap<>();
        boolean isWhole = first.problems().isEmpty() && second.problems().isEmpty();
        int moved = 0;
        for (Map.Entry<BranchId, String> entry : second.branches().entrySet()) {
            BranchId branch = entry.getKey();
            if (!first.branches().containsKey(branch)) {
                moved += isWhole && isOfNode(branch) ? 1 : 0;
            } else if (index.of(branch).isPresent()) {
                findings.add(decided(branch, entry.getValue(), index.of(branch).get()));
            } else if (isOfNode(branch)) {
                Optional<String> where = aside.of(branch).or(() -> givenUp(index, branch));
                if (where.isPresent()) {
                    findings.add(keptAside(branch, entry.getValue(), where.get()));
                } else if (log.damages() == 0) {
                    findings.add(orphan(branch, entry.getValue()));
                }
            } else if (branch.format() == XATxConverter.FORMAT_ID
                    && branch.node().isPresent()) {
                foreign.merge(nodesOf(branch), 1, Integer::sum);
            } else {
                formats.merge(branch.format(), 1, Integer::sum);
            }
        }
        for (BranchId branch : first.branches().keySet()) {
            boolean isGone = !second.branches().containsKey(branch);
            moved += isWhole && isGone && isOfNode(branch) ? 1 : 0;
        }
        addTwoNodes(log, moved, findings);
        foreign.forEach(
                (other, count) -> findings.add(new Finding(Finding.Kind.FOREIGN, other + " branches=" + count)));
        formats.forEach((format, count) ->
                findings.add(new Finding(Finding.Kind.UNKNOWN_FORMAT, "format=" + format + " branches=" + count)));
        There there = There.in(first, second, index);
        log.transactions().forEach(transaction -> {
            addRecord(transaction, findings);
            boolean isOld = log.holder().isEmpty() || isOld(transaction);
            // A resource that did not answer may have the branch.
            if (isWhole && transaction.state() == RecordState.IN_DOUBT && isOld) {
                addGone(transaction, there, findings);
            }
            // With an owner it may be going on for days.
            if (transaction.state() == RecordState.NOT_DECODED && log.holder().isEmpty()) {
                addUnproven(transaction, findings);
            }
        });
        return new AuditReport(node, findings, log, first, second, moved, aside.isAnywhere());
    }

    private boolean isOfNode(BranchId branch) {
        return branch.format() == XATxConverter.FORMAT_ID
                && branch.node().filter(node::equals).isPresent()
                && branch.subordinateNode()
                        .filter(importer -> !importer.equals(node))
                        .isEmpty();
    }

    private static String nodesOf(BranchId branch) {
        String begun = "node=" + printable(branch.node().orElse("unknown"));
        return branch.subordinateNode()
                .map(importer -> begun + " imported-by=" + printable(importer))
                .orElse(begun);
    }

    private static Optional<String> givenUp(AuditedLog.Index index, BranchId branch) {
        return index.mayBeOf(branch)
                .map(givenUp -> "it belongs to an imported transaction, and the log has given up records of imported"
                        + " ones, such as uid=" + givenUp.uid() + ", and its record may be among them");
    }

    private static Finding keptAside(BranchId branch, String resource, String where) {
        return new Finding(
                Finding.Kind.KEPT_ASIDE,
                "resource=" + printable(resource) + " xid=" + branch + ": " + printable(where));
    }

    private static Finding.Kind kindOf(BranchId branch, LoggedTransaction transaction) {
        // By its type: one that cannot be read has another state, and recovery does not look for it either.
        if (NarayanaRecords.isGivenUp(transaction.key().type())) {
            return Finding.Kind.GIVEN_UP_BRANCH;
        }
        boolean isHeuristic = transaction.participants().stream()
                .filter(each -> each.xid().filter(branch::equals).isPresent())
                .anyMatch(each -> each.state().isHeuristic());
        return isHeuristic ? Finding.Kind.NOT_RETRIED : Finding.Kind.DECIDED;
    }

    private static Finding decided(BranchId branch, String resource, LoggedTransaction transaction) {
        return new Finding(
                kindOf(branch, transaction),
                "uid=" + transaction.uid() + " decision="
                        + transaction.decision().label() + " state="
                        + transaction.state().label() + " resource=" + printable(resource) + " xid=" + branch);
    }

    private Finding orphan(BranchId branch, String resource) {
        return new Finding(
                Finding.Kind.ORPHAN,
                "resource=" + printable(resource) + " xid=" + branch + " rolled back " + interval.toSeconds()
                        + " s after the first scan that sees it, at the earliest");
    }

    // Only a node with its log prepares branches, or ends them.
    private static void addTwoNodes(AuditedLog log, int moved, List<Finding> findings) {
        if (log.holder().isEmpty() && moved > 0) {
            findings.add(new Finding(
                    Finding.Kind.TWO_NODES,
                    "the log has no owner, and " + moved + " branches of the node came or went in the resources"));
        }
    }

    private static void addRecord(LoggedTransaction transaction, List<Finding> findings) {
        switch (transaction.state()) {
            case HEURISTIC, GIVEN_UP, UNREADABLE ->
                findings.add(new Finding(
                        Finding.Kind.NEEDS_A_PERSON,
                        "uid=" + transaction.uid() + " state="
                                + transaction.state().label() + " decision="
                                + transaction.decision().label()));
            case IN_DOUBT, FINISHED, NOT_DECODED, BOOKKEEPING, OTHER -> {}
        }
    }

    // A young record may be a commit under way, whose branch has just ended. Without an owner of the log none is.
    private boolean isOld(LoggedTransaction transaction) {
        return transaction
                .created()
                .filter(created -> created.plus(interval).isAfter(now))
                .isEmpty();
    }

    // Where one branch stands, recovery still has work, and finds out about the others.
    private static void addGone(LoggedTransaction transaction, There there, List<Finding> findings) {
        boolean isAnyThere = there.uids().contains(transaction.key().id())
                || transaction.participants().stream()
                        .flatMap(participant -> participant.xid().stream())
                        .anyMatch(there.branches()::contains);
        if (isAnyThere) {
            return;
        }
        boolean isAnyUnknown =
                transaction.participants().stream().anyMatch(each -> each.xid().isEmpty());
        if (isAnyUnknown) {
            addUnproven(transaction, findings);
            return;
        }
        for (InDoubtParticipant participant : transaction.participants()) {
            participant
                    .xid()
                    .ifPresent(branch -> findings.add(new Finding(
                            Finding.Kind.BRANCH_GONE,
                            "uid=" + transaction.uid() + " decision="
                                    + transaction.decision().label() + " resource="
                                    + printable(participant.resource().orElse("without a name")) + " xid=" + branch)));
        }
    }

    private static void addUnproven(LoggedTransaction transaction, List<Finding> findings) {
        findings.add(new Finding(
                Finding.Kind.UNPROVEN,
                "uid=" + transaction.uid() + " state=" + transaction.state().label() + " decision="
                        + transaction.decision().label()));
    }

    /** The branches of both looks, and their transactions: a participant whose Xid cannot be read has one of these. */
    private record There(Set<BranchId> branches, Set<ObjectId> uids) {
        static There in(AskedResources.Look first, AskedResources.Look second, AuditedLog.Index index) {
            Set<BranchId> branches = new HashSet<>(first.branches().keySet());
            branches.addAll(second.branches().keySet());
            Set<ObjectId> uids = new HashSet<>();
            branches.forEach(branch -> {
                branch.transaction().ifPresent(uids::add);
                index.of(branch)
                        .ifPresent(transaction -> uids.add(transaction.key().id()));
            });
            return new There(branches, uids);
        }
    }

    private static String printable(String text) {
        return text.replaceAll("\\p{C}", "?");
    }
}
