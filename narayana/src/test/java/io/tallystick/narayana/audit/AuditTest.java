package io.tallystick.narayana.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.audit.AskedResources.Look;
import io.tallystick.narayana.audit.Finding.Kind;
import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.Decision;
import io.tallystick.narayana.logs.record.InDoubtParticipant;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.narayana.logs.record.RecordState;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StateKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What two looks at the resources and the log between them prove. */
class AuditTest {
    private static final Instant NOW = Instant.parse("2026-11-27T03:00:00Z");
    private static final Duration INTERVAL = Duration.ofSeconds(20);
    private static final String NODE = "orders-2";

    private final WrittenRecord transaction = new WrittenRecord(1, NODE).waiting("accounts");
    private final BranchId branch = transaction.branch("accounts");

    @Test
    void aBranchWithItsRecordIsDecided() {
        AuditReport report = audit(look(branch), log(transaction), look(branch));

        assertThat(kinds(report)).containsExactly(Kind.DECIDED);
        assertThat(report.findings().get(0).text())
                .contains("decision=commit", "resource=accounts-db", branch.toString());
        assertThat(report.isAnyInDoubt()).isTrue();
    }

    /** A record stands for each branch of its transaction, also for one that recovery has taken out of it. */
    @Test
    void aBranchThatItsRecordDoesNotListIsNoOrphan() {
        BranchId unlisted = transaction.branch("stock");
        assertThat(kinds(audit(look(branch, unlisted), log(transaction), look(branch, unlisted))))
                .containsExactly(Kind.DECIDED, Kind.DECIDED);
    }

    @Test
    void aBranchThatStandsInBothLooksAndHasNoRecordIsAnOrphan() {
        AuditReport report = audit(look(branch), log(), look(branch));

        assertThat(kinds(report)).containsExactly(Kind.ORPHAN);
        assertThat(report.findings().get(0).text()).contains("rolled back 20 s after the first scan");
    }

    @Test
    void aBranchThatStandsInOneLookAloneIsInFlight() {
        AuditReport report = audit(look(), ownedLog(), look(branch));

        assertThat(report.findings()).isEmpty();
        assertThat(report.moved()).isEqualTo(1);
        assertThat(report.isAnyInDoubt()).isFalse();
        assertThat(audit(look(branch), ownedLog(), look()).findings()).isEmpty();
    }

    @Test
    void aBranchThatComesOrGoesWithoutAnOwnerOfTheLogIsOfASecondProcess() {
        assertThat(kinds(audit(look(), log(), look(branch)))).containsExactly(Kind.TWO_NODES);
        assertThat(kinds(audit(look(branch), log(), look()))).containsExactly(Kind.TWO_NODES);
    }

    @Test
    void anotherNodesBranchIsNoOrphan() {
        BranchId foreign = new WrittenRecord(2, "orders-3").branch("accounts");
        AuditReport report = audit(look(foreign), log(), look(foreign));

        assertThat(kinds(report)).containsExactly(Kind.FOREIGN);
        assertThat(report.findings().get(0).text()).isEqualTo("node=orders-3 branches=1");
        assertThat(report.isAnyInDoubt()).isFalse();
    }

    /** Recovery has no orphan filter for the formats of JTS. */
    @Test
    void anotherFormatIsLeftAlone() {
        BranchId ofAnother = BranchId.of(4711, new byte[] {1}, new byte[] {2});
        BranchId ofJts = new BranchId(131072, branch.global(), branch.branch());
        assertThat(kinds(audit(look(ofAnother, ofJts), log(), look(ofAnother, ofJts))))
                .containsExactly(Kind.UNKNOWN_FORMAT, Kind.UNKNOWN_FORMAT);
    }

    @Test
    void aRecordWhoseBranchIsNowhereIsTold() {
        AuditReport report = audit(look(), log(transaction), look());

        assertThat(kinds(report)).containsExactly(Kind.BRANCH_GONE);
        assertThat(report.findings().get(0).text()).contains("resource=accounts");
    }

    @Test
    void aYoungRecordMayBeACommitUnderWay() {
        WrittenRecord young = new WrittenRecord(3, NODE)
                .waiting("accounts")
                .created(NOW.minusSeconds(5).toEpochMilli());
        assertThat(audit(look(), ownedLog(young), look()).findings()).isEmpty();
    }

    /** The clock of its machine may be ahead, and nothing is under way in a log that nobody has. */
    @Test
    void withoutAnOwnerOfTheLogNoRecordIsTooYoung() {
        WrittenRecord young = new WrittenRecord(3, NODE)
                .waiting("accounts")
                .created(NOW.plusSeconds(3600).toEpochMilli());

        assertThat(kinds(audit(look(), log(young), look()))).containsExactly(Kind.BRANCH_GONE);
        assertThat(kinds(audit(look(), log(young.unreadable()), look()))).containsExactly(Kind.UNPROVEN);
    }

    /** It is pending, and nobody works on it. */
    @Test
    void anLraInALogWithoutAnOwnerIsToldAsUnproven() {
        StateKey key = StateKey.of(
                "/StateManager/BasicAction/LongRunningAction", transaction.key().id());
        AuditedLog log = new AuditedLog(List.of(LoggedTransaction.of(key, transaction.bytes())), Optional.empty(), 0);

        assertThat(log.transactions().get(0).state()).isEqualTo(RecordState.NOT_DECODED);
        AuditReport report = audit(look(), log, look());
        assertThat(kinds(report)).containsExactly(Kind.UNPROVEN);
        assertThat(report.findings().get(0).text()).contains("state=not-decoded");
        assertThat(audit(look(), log.ownedBy("pid=1"), look()).findings()).isEmpty();
    }

    @Test
    void withoutAnAnswerOfEachResourceNoBranchIsCalledGone() {
        Look silent = new Look(Map.of(), Map.of("helper 1 (X)", "it gave no answer in time"));
        AuditReport report = audit(silent, log(transaction), silent);

        assertThat(report.findings()).isEmpty();
        assertThat(report.problems()).hasSize(1);
        assertThat(report.lines()).anyMatch(line -> line.startsWith("no-answer helper 1 (X): it gave no answer"));
    }

    @Test
    void inADamagedLogNoBranchIsCalledAnOrphan() {
        AuditedLog damaged = new AuditedLog(List.of(), Optional.empty(), 1);
        AuditReport report = audit(look(branch), damaged, look(branch));

        assertThat(report.findings()).isEmpty();
        assertThat(report.lines()).anyMatch(line -> line.startsWith("damaged: "));
    }

    @Test
    void aHeuristicNeedsAPerson() {
        assertThat(kinds(audit(look(), log(new WrittenRecord(4, NODE).rolledBack("accounts")), look())))
                .containsExactly(Kind.NEEDS_A_PERSON);
    }

    /** Narayana looks for a record under the type of living transactions alone, so it would roll the branch back. */
    @Test
    void aBranchWhoseRecordRecoveryHasGivenUpIsNotLeftToRecovery() {
        AuditReport report = audit(look(branch), log(transaction.givenUp()), look(branch));

        assertThat(kinds(report)).containsExactly(Kind.GIVEN_UP_BRANCH, Kind.NEEDS_A_PERSON);
        assertThat(report.findings().get(0).text()).contains("decision=commit", branch.toString());
        assertThat(report.lines())
                .anyMatch(line -> line.contains("leaves the branches alone: end each with SettleBranch"));
    }

    /** Narayana itself puts a record aside that it cannot read, and then its own filter does not see it. */
    @Test
    void aBranchWhoseGivenUpRecordCannotBeReadIsNotLeftToRecovery() {
        byte[] record = transaction.givenUp().bytes();
        LoggedTransaction cut =
                LoggedTransaction.of(transaction.key(), Arrays.copyOf(record, record.length - Integer.BYTES * 4));
        AuditReport report = audit(look(branch), new AuditedLog(List.of(cut), Optional.empty(), 0), look(branch));

        assertThat(cut.state()).isEqualTo(RecordState.UNREADABLE);
        assertThat(kinds(report)).containsExactly(Kind.GIVEN_UP_BRANCH, Kind.NEEDS_A_PERSON);
    }

    /** PostgreSQL answers XAER_RMERR to a commit that it could not do, and still has the branch. */
    @Test
    void aBranchThatItsResourceStillHasAfterAnErrorIsNotLeftToRecovery() {
        WrittenRecord heuristic = new WrittenRecord(4, NODE).rolledBack("accounts");
        BranchId there = heuristic.branch("accounts");
        assertThat(kinds(audit(look(there), log(heuristic), look(there))))
                .containsExactly(Kind.NOT_RETRIED, Kind.NEEDS_A_PERSON);
    }

    /**
     * Narayana's recovery makes such a record of a transaction that was rolled back, and whose resource has answered
     * the rollback with XAER_RMERR. Whoever believed the status would commit a part of that transaction.
     */
    @Test
    void aRecordWithHazardsAloneDoesNotTellWhatWasDecided() {
        WrittenRecord hazard = new WrittenRecord(5, NODE).hazard("accounts");
        BranchId there = hazard.branch("accounts");
        AuditReport report = audit(look(there), log(hazard), look(there));

        assertThat(kinds(report)).containsExactly(Kind.NOT_RETRIED, Kind.NEEDS_A_PERSON);
        assertThat(report.findings().get(0).text()).contains("decision=unknown");
        assertThat(decision(hazard.rolledBack("stock"))).isEqualTo(Decision.COMMIT);
        assertThat(decision(new WrittenRecord(6, NODE).hazard("accounts").waiting("stock")))
                .isEqualTo(Decision.COMMIT);
    }

    private static Decision decision(WrittenRecord record) {
        return LoggedTransaction.of(record.key(), record.bytes()).decision();
    }

    /** The log of the node that has imported the transaction has the record of such a branch. */
    @Test
    void theBranchThatAnotherNodeMadeForOurTransactionIsForeign() {
        BranchId imported = transaction.branch("accounts", "orders-9");
        AuditReport report = audit(look(imported), log(), look(imported));

        assertThat(kinds(report)).containsExactly(Kind.FOREIGN);
        assertThat(report.findings().get(0).text()).isEqualTo("node=orders-2 imported-by=orders-9 branches=1");
        BranchId ownImport = transaction.branch("accounts", NODE);
        assertThat(kinds(audit(look(ownImport), log(), look(ownImport)))).containsExactly(Kind.ORPHAN);
    }

    /** Its branches have the global part of the parent's Xid, and its record cannot name them. */
    @Test
    void aBranchOfAnImportedTransactionIsFoundByItsParent() {
        WrittenRecord parent = new WrittenRecord(9, "orders-9");
        BranchId here = parent.branch("accounts", NODE);
        BranchId ofParent = parent.branch("accounts");
        Look look = look(here, parent.branch("accounts", "orders-3"), ofParent);
        WrittenRecord imported =
                new WrittenRecord(8, NODE).imported(Optional.of(ofParent)).unreadable();

        assertThat(kinds(audit(look(here), log(imported), look(here)))).containsExactly(Kind.DECIDED);
        AuditReport report = audit(look, log(imported.givenUp()), look);
        assertThat(kinds(report))
                .containsExactlyInAnyOrder(Kind.GIVEN_UP_BRANCH, Kind.FOREIGN, Kind.FOREIGN, Kind.NEEDS_A_PERSON);
        assertThat(report.findings())
                .filteredOn(finding -> finding.kind() == Kind.GIVEN_UP_BRANCH)
                .singleElement()
                .extracting(Finding::text)
                .asString()
                .contains("decision=commit", here.toString());
    }

    /** Recovery leaves such a branch alone, so it is no orphan. */
    @Test
    void whileAnImportedRecordWithoutAParentIsGivenUpAnImportedBranchIsNoOrphan() {
        BranchId imported = new WrittenRecord(9, NODE).branch("accounts", NODE);
        WrittenRecord givenUp = new WrittenRecord(8, NODE)
                .imported(Optional.empty())
                .unreadable()
                .givenUp();

        assertThat(kinds(audit(look(imported, branch), log(givenUp), look(imported, branch))))
                .containsExactlyInAnyOrder(Kind.KEPT_ASIDE, Kind.ORPHAN, Kind.NEEDS_A_PERSON);
    }

    @Test
    void aParticipantWithoutAReadableXidIsNeverCalledGone() {
        LoggedTransaction whole = LoggedTransaction.of(transaction.key(), transaction.bytes());
        InDoubtParticipant known = whole.participants().get(0);
        InDoubtParticipant unknown = new InDoubtParticipant(
                "CustomRecord",
                Optional.empty(),
                Optional.empty(),
                InDoubtParticipant.State.WAITING,
                Optional.empty(),
                Optional.empty());
        AuditedLog log = new AuditedLog(
                List.of(new LoggedTransaction(
                        whole.key(),
                        whole.state(),
                        whole.phase(),
                        whole.decision(),
                        whole.node(),
                        whole.parent(),
                        whole.created(),
                        List.of(known, unknown),
                        whole.remark())),
                Optional.empty(),
                0);

        AuditReport report = audit(look(), log, look());
        assertThat(kinds(report)).containsExactly(Kind.UNPROVEN);
        assertThat(report.isAnyInDoubt()).isTrue();
        BranchId unlisted = transaction.branch("stock");
        assertThat(kinds(audit(look(unlisted), log, look(unlisted)))).containsExactly(Kind.DECIDED);
    }

    @Test
    void aBranchWhoseRecordWasForgottenIsNoOrphan(@TempDir Path directory) throws IOException {
        String uid = NarayanaUid.text(transaction.key().id());
        Files.createFile(directory.resolve("2026-11-27T03-12-45Z-forget-" + uid.replace(':', '_') + ".jsonl"));
        assertThat(kinds(new Audit(NODE, INTERVAL, NOW)
                        .of(
                                look(branch),
                                log(),
                                look(branch),
                                KeptAside.in(new SystemDisk(), List.of(directory), List.of()))))
                .containsExactly(Kind.KEPT_ASIDE);
    }

    /** A log in a database has no quarantine. Without --keep-in and without the key there is no place to look at. */
    @Test
    void whereNothingTellsWhatWasForgottenAnOrphanIsNotCalledProven(@TempDir Path directory) throws IOException {
        String caveat = "forgotten-unknown: ";
        assertThat(orphan(List.of(), List.of()).lines())
                .anyMatch(line -> line.startsWith(caveat) && line.contains("an orphan is not proven"))
                .anyMatch(line -> line.startsWith("orphan 1: "));
        assertThat(orphan(List.of(directory), List.of()).lines()).noneMatch(line -> line.startsWith(caveat));
        assertThat(orphan(List.of(), List.of(directory)).lines()).noneMatch(line -> line.startsWith(caveat));
        assertThat(new Audit(NODE, INTERVAL, NOW)
                        .of(
                                look(branch),
                                log(transaction),
                                look(branch),
                                KeptAside.in(new SystemDisk(), List.of(), List.of()))
                        .lines())
                .noneMatch(line -> line.startsWith(caveat));
    }

    private AuditReport orphan(List<Path> directories, List<Path> configured) throws IOException {
        return new Audit(NODE, INTERVAL, NOW)
                .of(look(branch), log(), look(branch), KeptAside.in(new SystemDisk(), directories, configured));
    }

    @Test
    void aCommitThatIsLoggedAfterTheFirstReadingIsNoOrphan() {
        assertThat(kinds(audit(look(branch), log().and(log(transaction)), look(branch))))
                .containsExactly(Kind.DECIDED);
    }

    @Test
    void theReportIsBounded() {
        BranchId[] many = IntStream.range(0, 1_000)
                .mapToObj(number -> new WrittenRecord(number, NODE).branch("accounts"))
                .toArray(BranchId[]::new);
        List<String> lines = audit(look(many), log(), look(many)).lines();

        assertThat(lines).hasSize(AuditReport.LINES + 3).contains("  and 900 more");
        assertThat(lines).anyMatch(line -> line.startsWith("orphan 1000: "));
    }

    private static AuditReport audit(Look first, AuditedLog log, Look second) {
        return new Audit(NODE, INTERVAL, NOW).of(first, log, second);
    }

    private static List<Kind> kinds(AuditReport report) {
        return report.findings().stream().map(Finding::kind).toList();
    }

    private static Look look(BranchId... branches) {
        Map<BranchId, String> found = new HashMap<>();
        Arrays.stream(branches).forEach(branch -> found.put(branch, "accounts-db"));
        return new Look(found, Map.of());
    }

    private static AuditedLog log(WrittenRecord... records) {
        return new AuditedLog(
                Arrays.stream(records)
                        .map(record -> LoggedTransaction.of(record.key(), record.bytes()))
                        .toList(),
                Optional.empty(),
                0);
    }

    private static AuditedLog ownedLog(WrittenRecord... records) {
        return log(records).ownedBy("pid=1");
    }
}
