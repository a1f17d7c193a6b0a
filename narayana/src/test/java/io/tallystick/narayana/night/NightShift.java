package io.tallystick.narayana.night;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A person on call after a {@link Night}, with docs/three-in-the-morning.md and the class path of the application. The
 * same in each framework: what differs is how the person sees what is in doubt there, and what the process itself can
 * settle.
 */
public final class NightShift {
    private static final String TOOL = "io.tallystick.tool.Main";
    private static final String NARAYANA = "io.tallystick.narayana.";
    // By its name: this process need not have Narayana.
    private static final String RECOVERY = NightShift.class.getPackageName() + ".NightRecovery";
    private static final int MOST_MILLIS = 60_000;
    private static final Pattern KIND = Pattern.compile("([a-z-]+) \\d+: .*");

    /** What docs/in-doubt.md says of the states: a mixed answer does not stand in Narayana's record. */
    private static final Map<String, String> STATES = Map.of(
            "heuristic-rollback", "heuristic-rollback",
            "heuristic-commit", "heuristic-commit",
            "heuristic-mixed", "heuristic-unknown",
            "heuristic-hazard", "heuristic-hazard",
            "not-retried", "heuristic-rollback",
            "lost-resource", "waiting",
            "class-missing", "unreadable",
            "imported", "waiting");

    private static final List<String> HEURISTICS =
            List.of("heuristic-rollback", "heuristic-commit", "heuristic-mixed", "heuristic-hazard");

    private final NightBook book;
    private final String node;
    private final String classPath;
    private final Map<String, String> settings;
    private final Tool tool;
    private final Map<String, String> uids = new TreeMap<>();
    private final Set<String> settled = new TreeSet<>();

    /**
     * @param book of the resources
     * @param node whose night it was
     * @param classPath of the application, for the commands
     * @param settings of the application's store and of Narayana, as system properties
     * @param tool the command-line tool
     */
    public NightShift(NightBook book, String node, String classPath, Map<String, String> settings, Tool tool) {
        this.book = book;
        this.node = node;
        this.classPath = classPath;
        this.settings = settings;
        this.tool = tool;
    }

    /**
     * The command-line tool.
     *
     * @param classPath of it, in the place of its jar
     * @param log the arguments that name the log
     * @param keepIn where forgotten records are kept; empty for the quarantine of the log's directory
     */
    public record Tool(String classPath, List<String> log, Optional<Path> keepIn) {
        /** For a log in a directory. */
        public static Tool on(Path directory, String classPath) {
            return new Tool(classPath, List.of(directory.toString()), Optional.empty());
        }

        Path trail() {
            return keepIn.orElseGet(() -> Path.of(log.get(0)).resolve("tallystick.quarantine"))
                    .resolve("settled.log");
        }
    }

    /**
     * A command that has ended.
     *
     * @param status of the process
     * @param output all that it has printed
     */
    public record Answer(int status, String output) {
        Answer endsWith(int wanted) {
            assertThat(status).as(output).isEqualTo(wanted);
            return this;
        }
    }

    /** The labels and Uids that the night has left. */
    public void begin(List<String> lines) {
        for (String line : lines) {
            uids.put(line.split(" ")[0], line.split(" ")[1]);
        }
        assertThat(uids.keySet()).isEqualTo(new TreeMap<>(STATES).keySet());
    }

    /** The Uid of a transaction. */
    public String uid(String label) {
        return uids.get(label);
    }

    /** The running process itself has ended this one. */
    public void isSettledOnline(String label) {
        settled.add(label);
    }

    /** Step 2 of the page: all that have a record are seen, and nothing else. */
    public void checkSeen(String shown) {
        assertThat(uids.values()).as(shown).allMatch(shown::contains);
        assertThat(STATES.values()).as(shown).allMatch(shown::contains);
    }

    /** The same with the tool. */
    public void checkSeenByTool() throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("list", "--participants"));
        words.addAll(tool.log());
        checkSeen(run(tool.classPath(), Map.of(), TOOL, words).endsWith(0).output());
    }

    /** Step 3: the audit, first with the lost resource, which does not answer, then without it. */
    public void audit() throws IOException, InterruptedException {
        List<String> withLost = new ArrayList<>(helpers());
        withLost.addAll(helper(NightBook.LOST));
        assertThat(command("AuditNode", Map.of(), withLost).endsWith(5).output())
                .contains("no-answer helper 3");

        String report = command("AuditNode", Map.of(), helpers()).endsWith(4).output();
        Map<String, String> findings = findings(report);
        assertThat(findings.get(book.xid("not-retried", "stock"))).as(report).isEqualTo("not-retried");
        assertThat(findings.get(book.xid("imported", "stock")))
                .as(report)
                .isEqualTo(settled.contains("imported") ? null : "decided");
        assertThat(findings.get(book.xid("orphan", "stock"))).as(report).isEqualTo("orphan");
        assertThat(report).contains("foreign 1: ", "node=another-node branches=1");
        assertThat(lines(report, "branch-gone")).as(report).contains(uid("lost-resource"));
        for (String label : HEURISTICS) {
            assertThat(lines(report, "needs-a-person").contains(uid(label)))
                    .as(report)
                    .isEqualTo(!settled.contains(label));
        }
    }

    /** Step 4, without the node: the branch that is not retried is committed by hand. */
    public void settleNotRetried() throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(helpers());
        tool.keepIn().ifPresent(place -> words.addAll(List.of("--keep-in", place.toString())));
        words.addAll(List.of("--rollback", book.xid("not-retried", "stock"), "--yes", "--reason", "the wrong one"));
        command("SettleBranch", Map.of(), words).endsWith(4);
        words.set(words.indexOf("--rollback"), "--commit");
        command("SettleBranch", Map.of(), words).endsWith(0);
    }

    /** Step 5, without the node: the record is kept aside. */
    public void forget(String label) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("forget"));
        words.addAll(tool.log());
        words.addAll(List.of(uid(label), "--branches-ended"));
        tool.keepIn().ifPresent(place -> words.addAll(List.of("--keep-in", place.toString())));
        words.addAll(List.of("--yes", "--reason", "T-4711"));
        run(tool.classPath(), Map.of(), TOOL, words).endsWith(0);
    }

    /** Step 4, without the node: recovery with the class of the record, then the foreign branch by hand. */
    public void recover() throws IOException, InterruptedException {
        Files.delete(book.directory().resolve(NightBook.AWAY));
        command("RecoverNode", Map.of(NightRecovery.KNOWS_ESCROW, "true"), helpers())
                .endsWith(0);
        assertThat(book.states()).containsEntry("foreign", "stock=prepared");
        book.endByHand("foreign", "stock", NightBook.ROLLED_BACK);
    }

    /** Step 6: nothing is in doubt, and the resources have what was decided. */
    public void checkSettled() throws IOException, InterruptedException {
        command("AuditNode", Map.of(), helpers()).endsWith(0);
        assertThat(book.states())
                .isEqualTo(new TreeMap<>(Map.of(
                        "heuristic-rollback", "accounts=committed stock=rolledback",
                        "heuristic-commit", "accounts=committed",
                        "heuristic-mixed", "accounts=committed stock=committed",
                        "heuristic-hazard", "accounts=committed stock=rolledback",
                        "not-retried", "accounts=committed stock=committed",
                        "lost-resource", "accounts=committed archive=prepared",
                        "class-missing", "accounts=committed",
                        "imported", "accounts=committed stock=committed",
                        "orphan", "stock=rolledback",
                        "foreign", "stock=rolledback")));
        assertThat(book.directory().resolve("escrow")).exists();
        String trail = Files.readString(tool.trail());
        for (String label : HEURISTICS) {
            assertThat(trail).contains("action=forget uid=" + uid(label));
        }
        assertThat(trail).contains("action=forget uid=" + uid("lost-resource"), "outcome=");
    }

    private List<String> helpers() {
        List<String> words = new ArrayList<>();
        NightBook.PRESENT.forEach(name -> words.addAll(helper(name)));
        return words;
    }

    private List<String> helper(String resource) {
        return List.of("--helper", RECOVERY + "=" + book.directory().resolve(resource));
    }

    private Answer command(String name, Map<String, String> more, List<String> words)
            throws IOException, InterruptedException {
        Map<String, String> properties = new LinkedHashMap<>(settings);
        properties.putAll(more);
        List<String> all = new ArrayList<>(List.of("--node", node));
        all.addAll(words);
        return run(classPath, properties, NARAYANA + name, all);
    }

    private Answer run(String path, Map<String, String> properties, String main, List<String> words)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-Xshare:auto"));
        properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(List.of("-cp", path, main));
        command.addAll(words);
        Path output = Files.createTempFile(book.directory(), "command", ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(MOST_MILLIS, TimeUnit.MILLISECONDS))
                    .as("%s ends: %s", main, Files.readString(output, StandardCharsets.UTF_8))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Answer(process.exitValue(), String.join(" ", words) + "\n" + Files.readString(output));
    }

    /** The findings of an audit by the Xids. */
    private static Map<String, String> findings(String report) {
        Map<String, String> findings = new TreeMap<>();
        String kind = "";
        for (String line : report.split("\n")) {
            Matcher head = KIND.matcher(line);
            Matcher xid =
                    Pattern.compile("  .*\\bxid=(-?\\d+:[0-9a-f]*:[0-9a-f]*).*").matcher(line);
            if (head.matches()) {
                kind = head.group(1);
            } else if (xid.matches() && !kind.equals("branch-gone")) {
                findings.put(xid.group(1), kind);
            }
        }
        return findings;
    }

    /** The lines of an audit that have a finding of this kind. */
    private static String lines(String report, String wanted) {
        StringBuilder lines = new StringBuilder();
        String kind = "";
        for (String line : report.split("\n")) {
            Matcher head = KIND.matcher(line);
            if (head.matches()) {
                kind = head.group(1);
            } else if (kind.equals(wanted)) {
                lines.append(line).append('\n');
            }
        }
        return lines.toString();
    }
}
