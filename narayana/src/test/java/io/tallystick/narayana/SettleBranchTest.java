package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One branch that a killed node has left is ended by hand, and never against the log. */
@Timeout(240)
class SettleBranchTest {
    private static final String NODE = "orders-2";
    private static final StoreKind JOURNAL = StoreKind.SEGMENTED_CHANNEL;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(names = {"FILE", "SEGMENTED_CHANNEL"})
    void aDecidedBranchIsCommittedAndThenRecoveryRemovesTheRecord(StoreKind kind) throws IOException {
        kill(kind, CrashPoint.AFTER_LOG);
        for (String resource : List.of("a", "b")) {
            String xid = prepared(CrashPoint.AFTER_LOG, resource);
            assertThat(settle(kind).endsWith(SettleBranch.REFUSED, arguments("--rollback", xid, "--yes")))
                    .contains("demands decision=commit, and not rollback");
            assertThat(settle(kind).endsWith(SettleBranch.DONE, arguments("--commit", xid, "--yes")))
                    .contains("commit of " + xid + ", as the record uid=", "cannot be undone", "TALLY0426 status 0");
            assertEnded(CrashPoint.AFTER_LOG, resource, "committed");
        }
        child(RecoverNode.class, kind).endsWith(RecoverNode.RECOVERED, recovery());
        child(AuditNode.class, kind).endsWith(AuditNode.SETTLED, recovery());
        assertThat(trail()).hasSize(4);
        assertThat(trail().get(0)).contains(" action=commit node=" + NODE, " outcome=begun reason=ticket 4711");
        assertThat(trail().get(1)).contains(" outcome=ENDED: commit reason=ticket 4711");
    }

    @Test
    void anOrphanIsRolledBackAndNeverCommitted() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String xid = prepared(CrashPoint.BEFORE_LOG, "a");
        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments("--commit", xid, "--yes")))
                .contains("it was not decided to commit: only --rollback is right");
        assertThat(settle(JOURNAL).endsWith(SettleBranch.DONE, arguments("--rollback", xid, "--yes")))
                .contains("which has no record in the log of node " + NODE);
        assertEnded(CrashPoint.BEFORE_LOG, "a", "rolledback");
        assertThat(prepared(CrashPoint.BEFORE_LOG, "b")).isNotEmpty();
        try (ObjectStore store = open()) {
            assertThat(store.types()).doesNotContain("/Tallystick/RecoverNode");
        }
    }

    @Test
    void withoutYesNothingIsDone() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String xid = prepared(CrashPoint.BEFORE_LOG, "a");
        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments("--rollback", xid)))
                .contains("rollback of " + xid, "nothing was changed; --yes");
        assertThat(prepared(CrashPoint.BEFORE_LOG, "a")).isEqualTo(xid);
        assertThat(directory.resolve("store").resolve("tallystick.quarantine")).doesNotExist();
    }

    @Test
    void aBranchOfAnotherNodeOrManagerIsLeftAlone() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String foreign = prepared(CrashPoint.BEFORE_LOG, "a").replace(hex(NODE), hex("orders-9"));
        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments("--rollback", foreign, "--yes")))
                .contains("the branch is of node=orders-9");
        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments("--rollback", "4711:00:00", "--yes")))
                .contains("format=4711");
    }

    @Test
    void aBranchThatNoResourceHasIsToldAndStaysInTheTrail() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String gone = prepared(CrashPoint.BEFORE_LOG, "a") + "00";
        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments("--rollback", gone, "--yes")))
                .contains("no resource lists the branch");
        assertThat(trail()).hasSize(2);
        assertThat(trail().get(1)).contains("outcome=NOT_FOUND");
    }

    @Test
    void aResourceThatHangsIsBounded() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String xid = prepared(CrashPoint.BEFORE_LOG, "a");
        assertThat(settle(JOURNAL)
                        .endsWith(
                                SettleBranch.UNANSWERED,
                                "--node",
                                NODE,
                                "--timeout",
                                "2s",
                                "--helper",
                                AuditNodeTest.Hanging.class.getName(),
                                "--rollback",
                                xid,
                                "--yes",
                                "--reason",
                                "x"))
                .contains("the resource refused: it gave no answer in time");
    }

    @Test
    void aLivingOwnerRefuses() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String xid = prepared(CrashPoint.BEFORE_LOG, "a");
        try (ObjectStore home = open()) {
            assertThat(settle(JOURNAL).endsWith(SettleBranch.OWNER_LIVES, arguments("--rollback", xid, "--yes")))
                    .contains("nothing was changed");
            assertThat(home.failure()).isEmpty();
        }
        assertThat(prepared(CrashPoint.BEFORE_LOG, "a")).isEqualTo(xid);
    }

    @Test
    void wrongArgumentsAreToldByTheStatus() {
        for (List<String> wrong : List.of(
                List.<String>of(),
                List.of("--node", NODE),
                List.of("--node", NODE, "--commit", "131077:00:00", "--rollback", "131077:00:00"),
                List.of("--node", NODE, "--commit", "131077"),
                List.of("--node", NODE, "--commit", "131077:0:00"),
                List.of("--node", NODE, "--commit", "131077:00:00", "--yes"),
                List.of("--node", NODE, "--commit", "131077:00:00", "--yes", "--reason", "a\nb"),
                List.of("--node", NODE, "--rollback", "131077:00:00", "--now", "x"))) {
            assertThat(SettleBranch.run(System.out, wrong.toArray(String[]::new)))
                    .as(wrong.toString())
                    .isEqualTo(SettleBranch.MISUSED);
        }
    }

    private void kill(StoreKind kind, CrashPoint point) {
        Map<String, String> properties = NarayanaProcess.properties(kind.settings(), directory.resolve("store"));
        properties.put("tallystick.node-id", NODE);
        properties.put("CoreEnvironmentBean.nodeIdentifier", NODE);
        properties.put("JTAEnvironmentBean.xaRecoveryNodes", NODE);
        ChildJvm.of(CrashingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(
                        CrashingProcess.STATUS,
                        point.event(),
                        String.valueOf(point.times()),
                        resources().resolve(point.name()).toString());
    }

    private ChildJvm settle(StoreKind kind) {
        return child(SettleBranch.class, kind);
    }

    private ChildJvm child(Class<?> program, StoreKind kind) {
        Map<String, String> properties = new LinkedHashMap<>(kind.settings());
        properties.put("tallystick.directory", directory.resolve("store").toString());
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "0");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        return ChildJvm.of(program).in(directory).withProperties(properties);
    }

    private String[] arguments(String... more) {
        List<String> arguments = new ArrayList<>(List.of(recovery()));
        arguments.addAll(List.of(more));
        if (arguments.contains("--yes")) {
            arguments.addAll(List.of("--reason", "ticket 4711"));
        }
        return arguments.toArray(String[]::new);
    }

    private String[] recovery() {
        return new String[] {
            "--node", NODE, "--timeout", "90s", "--helper", FileResourceRecovery.class.getName() + "=" + resources()
        };
    }

    /** The Xid of the branch that is prepared at the resource; empty if there is none. */
    private String prepared(CrashPoint point, String resource) throws IOException {
        try (Stream<Path> files = Files.list(resources().resolve(point.name()).resolve(resource))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".prepared"))
                    .map(name -> name.split("[-.]"))
                    .map(parts -> Integer.parseInt(parts[0], 16) + ":" + parts[1] + ":" + parts[2])
                    .findFirst()
                    .orElse("");
        }
    }

    private void assertEnded(CrashPoint point, String resource, String state) throws IOException {
        Path own = resources().resolve(point.name()).resolve(resource);
        assertThat(FileResource.transactions(own, "prepared")).isEmpty();
        assertThat(FileResource.transactions(own, state)).hasSize(1);
    }

    private List<String> trail() throws IOException {
        return Files.readAllLines(
                directory.resolve("store").resolve("tallystick.quarantine").resolve("settled.log"));
    }

    private Path resources() {
        return directory.resolve("resources");
    }

    private static String hex(String text) {
        StringBuilder hex = new StringBuilder();
        text.chars().forEach(each -> hex.append(String.format(java.util.Locale.ROOT, "%02x", each)));
        return hex.toString();
    }

    private ObjectStore open() {
        return ObjectStores.open(JOURNAL.configure(directory.resolve("store"))
                .set(StoreOption.NODE_ID, NODE)
                .build());
    }
}
