package io.tallystick.narayana.audit;

import io.tallystick.narayana.audit.Finding.Kind;
import io.tallystick.store.StoreOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an audit has found.
 *
 * @param node the audited node
 * @param findings all of them
 * @param log the log that was read
 * @param first the look at the resources before
 * @param second the look at the resources after
 * @param moved branches of the node that came or went between the looks
 * @param isForgottenKnown whether there was a place that tells which records were forgotten
 */
public record AuditReport(
        String node,
        List<Finding> findings,
        AuditedLog log,
        AskedResources.Look first,
        AskedResources.Look second,
        int moved,
        boolean isForgottenKnown) {
    /** How many findings of each kind have a line. */
    static final int LINES = 100;

    public AuditReport {
        findings = List.copyOf(findings);
    }

    /** The sources that did not answer one of the looks, with the reason. */
    public Map<String, String> problems() {
        Map<String, String> problems = new TreeMap<>(second.problems());
        problems.putAll(first.problems());
        return problems;
    }

    /** Whether something of the node is in doubt. */
    public boolean isAnyInDoubt() {
        return findings.stream().anyMatch(finding -> finding.kind().isOfNode());
    }

    /** Whether a branch is called an orphan. */
    public boolean isAnyOrphan() {
        return findings.stream().anyMatch(finding -> finding.kind() == Kind.ORPHAN);
    }

    /** The report for people. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("node=" + node + " transactions=" + log.transactions().size() + " branches="
                + second.branches().size() + " moved=" + moved + " damages=" + log.damages() + " owner="
                + log.holder().map(holder -> holder.replaceAll("\\p{C}", "?")).orElse("none"));
        problems().forEach((source, why) -> lines.add("no-answer " + source + ": " + why));
        if (log.damages() > 0) {
            lines.add("damaged: records may be missing, so no branch is called an orphan; 'tallystick verify' shows"
                    + " the damage");
        }
        if (!isForgottenKnown && isAnyOrphan()) {
            lines.add("forgotten-unknown: the log lies in no directory, and no --keep-in was given, so it is not known"
                    + " which records were forgotten, and an orphan is not proven: one whose record was forgotten may"
                    + " be to be committed. Audit again with the --keep-in DIRECTORY of 'tallystick forget', or with "
                    + StoreOption.INDOUBT_KEEP_IN.key() + " as the node has it");
        }
        for (Kind kind : Kind.values()) {
            List<Finding> ofKind =
                    findings.stream().filter(finding -> finding.kind() == kind).toList();
            if (!ofKind.isEmpty()) {
                lines.add(kind.label() + " " + ofKind.size() + ": " + kind.meaning());
                ofKind.stream().limit(LINES).forEach(finding -> lines.add("  " + finding.text()));
                if (ofKind.size() > LINES) {
                    lines.add("  and " + (ofKind.size() - LINES) + " more");
                }
            }
        }
        if (findings.isEmpty()) {
            lines.add(
                    problems().isEmpty()
                            ? "nothing is in doubt"
                            : "nothing else was found, and what the resources without an answer have is not known:"
                                    + " 'tallystick list --in-doubt --participants' shows the transactions of the log");
        }
        return lines;
    }
}
