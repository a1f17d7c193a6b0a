package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import io.tallystick.narayana.doubt.BranchXid;
import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.storage.ChildJvm;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    void aBranchThatNoResourceHasIsToldAndNothingIsDone() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String gone = prepared(CrashPoint.BEFORE_LOG, "a") + "00";
        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments("--rollback", gone, "--yes")))
                .contains("no resource lists the branch");
        assertThat(directory.resolve("store").resolve("tallystick.quarantine")).doesNotExist();
    }

    /** A process with the same name and another log has just prepared it, and is about to decide. */
    @Test
    void aBranchThatHasJustComeIsNotRolledBack() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String xid = prepared(CrashPoint.BEFORE_LOG, "a");
        String[] arguments = arguments("--rollback", xid, "--yes");
        arguments[5] = Late.class.getName() + "=" + resources();
        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments))
                .contains("did not list it 0 s before", "in a second process");
        assertThat(prepared(CrashPoint.BEFORE_LOG, "a")).isEqualTo(xid);
    }

    /** Its branches come after the first look. */
    public static final class Late implements XAResourceRecoveryHelper {
        private final FileResourceRecovery recovery = new FileResourceRecovery();
        private Path empty;
        private boolean isAsked;

        /** For the command. */
        public Late() {}

        @Override
        public boolean initialise(String text) throws Exception {
            empty = Path.of(text).resolveSibling("empty");
            return recovery.initialise(text);
        }

        @Override
        public XAResource[] getXAResources() throws IOException {
            boolean isFirst = !isAsked;
            isAsked = true;
            return isFirst
                    ? new XAResource[] {new FileResource(empty, "empty", said -> {})}
                    : recovery.getXAResources();
        }
    }

    @Test
    void aBranchThatAnotherNodeMadeForOurTransactionIsLeftToItsLog() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String[] parts = prepared(CrashPoint.BEFORE_LOG, "a").split(":");
        String uidAndName = parts[2].substring(0, 64);
        String imported = parts[0] + ":" + parts[1] + ":" + uidAndName + "00000008" + hex("orders-9");
        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments("--rollback", imported, "--yes")))
                .contains("the branch is of node=orders-9");
    }

    /** A volume that is not mounted, or a slip in the name. */
    @Test
    void aDirectoryOfForgottenRecordsThatIsMissingIsNotTakenForNone() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String xid = prepared(CrashPoint.BEFORE_LOG, "a");
        String missing = directory.resolve("missing").toString();
        String[] audit = Stream.concat(Stream.of(recovery()), Stream.of("--keep-in", missing))
                .toArray(String[]::new);
        for (String said : List.of(
                child(AuditNode.class, JOURNAL).endsWith(AuditNode.MISUSED, audit),
                settle(JOURNAL)
                        .endsWith(SettleBranch.MISUSED, arguments("--rollback", xid, "--keep-in", missing, "--yes")))) {
            assertThat(said).contains("--keep-in " + missing, "mount it");
        }
        assertThat(child(RecoverNode.class, JOURNAL, "tallystick.indoubt.keep-in", missing)
                        .endsWith(RecoverNode.MISUSED, recovery()))
                .contains(missing + " is missing, which tallystick.indoubt.keep-in names", "mount it");
        assertThat(prepared(CrashPoint.BEFORE_LOG, "a")).isEqualTo(xid);
        String quarantine =
                directory.resolve("store").resolve("tallystick.quarantine").toString();
        settle(JOURNAL).endsWith(SettleBranch.DONE, arguments("--rollback", xid, "--keep-in", quarantine, "--yes"));
    }

    @Test
    void aBranchWhoseRecordWasForgottenIsNotRolledBack() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String xid = prepared(CrashPoint.BEFORE_LOG, "a");
        Path aside = Files.createDirectories(directory.resolve("aside"));
        Files.writeString(
                aside.resolve("settled.log"),
                "time=2026-11-27T03:12:45Z user=app action=forget uid=" + uid(xid) + " decision=commit reason=x\n");
        assertThat(settle(JOURNAL)
                        .endsWith(
                                SettleBranch.REFUSED,
                                arguments("--rollback", xid, "--keep-in", aside.toString(), "--yes")))
                .contains("its record was forgotten, says " + aside);
        assertThat(child(AuditNode.class, JOURNAL)
                        .endsWith(
                                AuditNode.IN_DOUBT,
                                Stream.concat(Stream.of(recovery()), Stream.of("--keep-in", aside.toString()))
                                        .toArray(String[]::new)))
                .contains("kept-aside 2: ")
                .doesNotContain("orphan");
        Files.createDirectories(
                directory.resolve("store").resolve("tallystick.quarantine").resolve("2026-11-27T03-12-45Z"));
        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments("--rollback", xid, "--yes")))
                .contains("a repair has put files of the log aside");
        assertThat(prepared(CrashPoint.BEFORE_LOG, "a")).isEqualTo(xid);
    }

    /**
     * PostgreSQL answers XAER_RMERR to a commit that it could not do, and Narayana takes that for a heuristic. Recovery
     * does not see records that it has given up. Neither ends the branch.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBranchThatRecoveryDoesNotCommitIsCommittedByHand(boolean isGivenUp) throws Exception {
        WrittenRecord record = isGivenUp
                ? new WrittenRecord(7, NODE).waiting("accounts").givenUp()
                : new WrittenRecord(7, NODE).rolledBack("accounts");
        try (ObjectStore store = open()) {
            store.write(record.key(), record.bytes(), Durability.FORCED);
        }
        BranchId branch = record.branch("accounts");
        Path given = resources().resolve("GIVEN").resolve("a");
        new FileResource(given, "accounts", said -> {}).prepare(new BranchXid(branch));

        assertThat(child(AuditNode.class, JOURNAL).endsWith(AuditNode.IN_DOUBT, recovery()))
                .contains(isGivenUp ? "given-up-branch 1: " : "not-retried 1: ", "decision=commit");
        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments("--rollback", branch.toString(), "--yes")))
                .contains("demands decision=commit, and not rollback");
        assertThat(settle(JOURNAL).endsWith(SettleBranch.DONE, arguments("--commit", branch.toString(), "--yes")))
                .contains("recovery does not remove the record", "'tallystick forget'");
        assertThat(FileResource.transactions(given, "committed")).hasSize(1);
    }

    /** The record is written before the resource commits that decides: a row in the database of that one tells. */
    @ParameterizedTest
    @CsvSource({",", "false, --rollback", "true, --commit"})
    void besideACommitMarkableResourceABranchIsEndedOnlyAsThatOneHasEnded(Boolean isCommitted, String right)
            throws Exception {
        WrittenRecord record = new WrittenRecord(7, NODE)
                .markable("java:/marked", Optional.ofNullable(isCommitted))
                .waiting("accounts");
        try (ObjectStore store = open()) {
            store.write(record.key(), record.bytes(), Durability.FORCED);
        }
        BranchId branch = record.branch("accounts");
        Path given = resources().resolve("GIVEN").resolve("a");
        new FileResource(given, "accounts", said -> {}).prepare(new BranchXid(branch));

        for (String wrong : List.of("--commit", "--rollback")) {
            if (!wrong.equals(right)) {
                assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments(wrong, branch.toString(), "--yes")))
                        .contains(
                                right == null
                                        ? "demands decision=unknown, and not " + wrong.substring(2)
                                                + ": the record was written before the CommitMarkableResource"
                                                + " resource=java:/marked committed"
                                        : "demands decision=" + right.substring(2) + ", and not ")
                        .contains(
                                right == null
                                        ? "a row in its table xids, with xid=" + record.branch("java:/marked")
                                        : "was not touched");
            }
        }
        assertThat(FileResource.transactions(given, "prepared")).hasSize(1);
        if (right != null) {
            settle(JOURNAL).endsWith(SettleBranch.DONE, arguments(right, branch.toString(), "--yes"));
            assertThat(FileResource.transactions(given, "prepared")).isEmpty();
        }
    }

    /** Recovery leaves each imported branch alone that has no record, as long as the log has given up such records. */
    @Test
    void whileAnImportedRecordIsGivenUpNoImportedBranchIsTakenForAnOrphan() throws Exception {
        WrittenRecord parent = new WrittenRecord(9, NODE);
        WrittenRecord imported = new WrittenRecord(8, NODE)
                .imported(Optional.of(parent.branch("x")))
                .unreadable()
                .givenUp();
        try (ObjectStore store = open()) {
            store.write(imported.key(), Arrays.copyOf(imported.bytes(), 40), Durability.FORCED);
        }
        BranchId branch = parent.branch("accounts", NODE);
        Path given = resources().resolve("GIVEN").resolve("a");
        new FileResource(given, "accounts", said -> {}).prepare(new BranchXid(branch));

        assertThat(settle(JOURNAL).endsWith(SettleBranch.REFUSED, arguments("--rollback", branch.toString(), "--yes")))
                .contains("the log has given up records of imported transactions, such as uid=", "was not touched");
        assertThat(FileResource.transactions(given, "prepared")).hasSize(1);

        try (ObjectStore store = open()) {
            store.write(imported.key(), imported.bytes(), Durability.FORCED);
        }
        assertThat(settle(JOURNAL).endsWith(SettleBranch.DONE, arguments("--commit", branch.toString(), "--yes")))
                .contains("as the record uid=" + NarayanaUid.text(imported.key().id()) + " demands");
    }

    @Test
    void aHelperThatHangsWhenItIsMadeIsBounded() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String xid = prepared(CrashPoint.BEFORE_LOG, "a");
        String[] arguments = arguments("--rollback", xid, "--yes");
        arguments[3] = "1s";
        arguments[5] = HangingFromTheStart.class.getName();
        assertThat(settle(JOURNAL).endsWith(SettleBranch.UNANSWERED, arguments))
                .contains("was not made and initialised in 1 s");
        assertThat(child(AuditNode.class, JOURNAL).endsWith(AuditNode.UNANSWERED, Arrays.copyOf(arguments, 6)))
                .contains("was not made and initialised in 1 s");
        assertThat(prepared(CrashPoint.BEFORE_LOG, "a")).isEqualTo(xid);
    }

    /** A helper that reaches for its server at once. */
    public static final class HangingFromTheStart implements XAResourceRecoveryHelper {
        /** For the command. */
        public HangingFromTheStart() {}

        @Override
        public boolean initialise(String text) throws InterruptedException {
            new CountDownLatch(1).await();
            return true;
        }

        @Override
        public XAResource[] getXAResources() {
            return new XAResource[0];
        }
    }

    /** The node waits for its log as long as its patience. */
    @Test
    void theLogIsHeldForHalfOfThePatienceAtMost() throws IOException {
        kill(JOURNAL, CrashPoint.AFTER_LOG);
        String[] arguments = arguments("--commit", prepared(CrashPoint.AFTER_LOG, "a"), "--yes");
        arguments[3] = "1h";
        arguments[5] = AuditNodeTest.Hanging.class.getName();
        assertThat(child(SettleBranch.class, JOURNAL, "tallystick.patience", "4s")
                        .endsWith(SettleBranch.UNANSWERED, arguments))
                .contains(
                        "the branch was not touched: ",
                        "helper 1 (" + AuditNodeTest.Hanging.class.getName() + "): it gave no answer in time");
    }

    private static String uid(String xid) {
        return NarayanaUid.text(BranchId.parse(xid).transaction().orElseThrow());
    }

    /** A store in memory is empty, whatever was decided. */
    @ParameterizedTest
    @ValueSource(classes = {SettleBranch.class, RecoverNode.class})
    void aStoreThatMakesAnEmptyLogIsNotAdopted(Class<?> command) throws IOException {
        kill(JOURNAL, CrashPoint.AFTER_LOG);
        String xid = prepared(CrashPoint.AFTER_LOG, "a");
        String[] arguments = command == RecoverNode.class
                ? recovery()
                : arguments("--rollback", xid, "--yes", "--keep-in", directory.toString());
        assertThat(ChildJvm.of(command)
                        .in(directory)
                        .withProperties(Map.of(
                                "tallystick.store", "inmemory",
                                "JTAEnvironmentBean.orphanSafetyInterval", "0",
                                "RecoveryEnvironmentBean.recoveryBackoffPeriod", "1"))
                        .endsWith(SettleBranch.MISUSED, arguments))
                .contains("tallystick.store=inmemory has no log of a node that has died");
        assertThat(prepared(CrashPoint.AFTER_LOG, "a")).isEqualTo(xid);
    }

    /** Status 3 would say that the resource was not touched. */
    @Test
    void aTrailThatFailsAfterTheDeedDoesNotHideIt() throws IOException {
        kill(JOURNAL, CrashPoint.BEFORE_LOG);
        String[] arguments = arguments("--rollback", prepared(CrashPoint.BEFORE_LOG, "a"), "--yes");
        arguments[5] = SpoilingTheTrail.class.getName() + "=" + resources();
        assertThat(settle(JOURNAL).endsWith(SettleBranch.DONE, arguments))
                .contains("TALLY0426 status 0", "and then the log or the trail failed");
        assertEnded(CrashPoint.BEFORE_LOG, "a", "rolledback");
    }

    /** A resource that rolls back, and then the trail cannot be written any more. */
    public static final class SpoilingTheTrail implements XAResourceRecoveryHelper {
        private final FileResourceRecovery recovery = new FileResourceRecovery();
        private Path trail;

        /** For the command. */
        public SpoilingTheTrail() {}

        @Override
        public boolean initialise(String text) throws Exception {
            trail = Path.of(text)
                    .resolveSibling("store")
                    .resolve("tallystick.quarantine")
                    .resolve("settled.log");
            return recovery.initialise(text);
        }

        @Override
        public XAResource[] getXAResources() {
            return Stream.of(recovery.getXAResources()).map(this::spoiling).toArray(XAResource[]::new);
        }

        private XAResource spoiling(XAResource resource) {
            return (XAResource) Proxy.newProxyInstance(
                    SpoilingTheTrail.class.getClassLoader(),
                    new Class<?>[] {XAResource.class},
                    (proxy, method, arguments) -> {
                        Object answer = method.invoke(resource, arguments);
                        if (method.getName().equals("rollback")) {
                            Files.delete(trail);
                            Files.createDirectory(trail);
                        }
                        return answer;
                    });
        }
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
                .contains("the branch was not touched: ", "it gave no answer in time");
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

    private KilledNode node() {
        return new KilledNode(directory, NODE);
    }

    private void kill(StoreKind kind, CrashPoint point) {
        node().kill(kind.settings(), point);
    }

    private ChildJvm settle(StoreKind kind) {
        return child(SettleBranch.class, kind);
    }

    private ChildJvm child(Class<?> program, StoreKind kind, String... more) {
        return node().program(program, kind.settings(), more);
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
        return FileResource.prepared(resources().resolve(point.name()).resolve(resource))
                .orElse("");
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
        return node().resources();
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
