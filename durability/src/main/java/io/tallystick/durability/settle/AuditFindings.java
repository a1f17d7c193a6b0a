package io.tallystick.durability.settle;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the report of an audit. */
final class AuditFindings {
    private static final Pattern KIND = Pattern.compile("([a-z-]+) \\d+: .*");
    private static final Pattern XID = Pattern.compile("  .*\\bxid=(-?\\d+:[0-9a-f]*:[0-9a-f]*).*");

    private AuditFindings() {}

    /**
     * The finding about each branch that stands at a resource, in one word, by the Xid. A branch that is gone stands at
     * none.
     */
    static Map<String, String> byXid(String report) {
        Map<String, String> findings = new HashMap<>();
        String kind = "";
        for (String line : report.split("\n")) {
            Matcher head = KIND.matcher(line);
            Matcher finding = XID.matcher(line);
            if (head.matches()) {
                kind = head.group(1);
            } else if (finding.matches() && !kind.equals("branch-gone")) {
                findings.put(finding.group(1), kind);
            }
        }
        return findings;
    }
}
