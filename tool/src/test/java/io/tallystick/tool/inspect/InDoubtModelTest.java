package io.tallystick.tool.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.eclipsesource.json.JsonObject;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.Decision;
import io.tallystick.narayana.logs.record.InDoubtParticipant;
import io.tallystick.narayana.logs.record.InDoubtTransaction;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.narayana.logs.record.RecordState;
import io.tallystick.narayana.logs.record.RecoveryTries;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.tool.TestStores;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.narayana.RecordText;
import io.tallystick.tool.narayana.RecordsOfTransactions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.transaction.xa.XAException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tool says of a transaction in doubt what a running process says: the same names, the same words. */
class InDoubtModelTest {
    private static final Logger NARAYANA = Logger.getLogger("com.arjuna");

    @TempDir
    Path root;

    @BeforeAll
    static void silence() {
        NARAYANA.setLevel(Level.OFF);
    }

    @AfterAll
    static void hear() {
        NARAYANA.setLevel(null);
    }

    private interface Transactions {
        void run() throws Exception;
    }

    private Path with(Kind kind, Transactions transactions) throws Exception {
        Path directory = root.resolve("tx");
        try (ObjectStore store = kind.open(directory)) {
            RecordsOfTransactions.use(store);
            try {
                transactions.run();
            } finally {
                StoreManager.shutdown();
            }
        }
        return directory;
    }

    @Test
    void participantsAreListedBelowTheirTransaction() throws Exception {
        List<String> lines = ToolRun.of(
                        "list", "--in-doubt", "--participants", with(Kind.FILE, RecordsOfTransactions::inDoubt))
                .endsWith(ExitStatus.OK)
                .lines();

        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).contains(" in-doubt ");
        assertThat(lines.get(1)).matches("  uid=0:\\S+ phase=COMMITTED decision=commit node=1");
        assertThat(lines.get(2)).isEqualTo("  waiting            java:/scripted");
    }

    @Test
    void programsGetTheModel() throws Exception {
        JsonObject answer = ToolRun.of(
                        "list", "--in-doubt", "--json", with(Kind.SEGMENTED, RecordsOfTransactions::inDoubt))
                .endsWith(ExitStatus.OK)
                .json();

        JsonObject transaction = answer.get("keys")
                .asArray()
                .get(0)
                .asObject()
                .get("transaction")
                .asObject();
        assertThat(transaction.names())
                .containsExactly(
                        "uid",
                        "type",
                        "state",
                        "phase",
                        "decision",
                        "node",
                        "created",
                        "ageSeconds",
                        "ageSince",
                        "participants");
        JsonObject participant =
                transaction.get("participants").asArray().get(0).asObject();
        assertThat(participant.names()).containsExactly("resource", "product", "record", "state", "xid");
        assertThat(participant.getString("xid", "")).matches("131077:[0-9a-f]+:[0-9a-f]+");
    }

    /** As in every other place. The tries are in the memory of the process that recovers. */
    @Test
    void noNameOfTheModelIsLeftOutButTheTries() {
        BranchId branch = new BranchId(131077, "00", "01");
        InDoubtParticipant participant = new InDoubtParticipant(
                "XAResourceRecord",
                Optional.of("java:/stock"),
                Optional.of("H2"),
                InDoubtParticipant.State.FAILED,
                Optional.of(branch),
                Optional.of("XAER_RMERR"));
        InDoubtTransaction whole = new InDoubtTransaction(
                new LoggedTransaction(
                        StateKey.parse("/StateManager/BasicAction:" + "00".repeat(28)),
                        RecordState.IN_DOUBT,
                        Optional.of("COMMITTED"),
                        Decision.COMMIT,
                        Optional.of("orders-2"),
                        Optional.of(branch),
                        Optional.of(Instant.EPOCH),
                        List.of(participant),
                        Optional.of("cannot be read to its end")),
                Duration.ofSeconds(90),
                true,
                RecoveryTries.NONE);
        Set<String> names = new LinkedHashSet<>(whole.details().keySet());
        names.remove("tries");

        JsonObject json = RecordText.toJson(ListCommand.ofTheLog(whole));

        assertThat(json.names()).containsExactlyElementsOf(names);
        assertThat(json.get("participants").asArray().get(0).asObject().names())
                .containsExactlyElementsOf(participant.details().keySet());
        assertThat(RecordText.toLines(ListCommand.ofTheLog(whole)))
                .extracting(line -> line.strip().split("[= ]")[0])
                .containsAll(names)
                .containsAll(participant.details().keySet());
    }

    @Test
    void showTellsTheTransactionAndLeavesTheBytesOutIfAsked() throws Exception {
        Path directory = with(Kind.FILE, RecordsOfTransactions::heuristic);
        String key = ToolRun.of("list", directory).lines().stream()
                .filter(line -> line.contains(" heuristic "))
                .map(line -> line.substring(line.indexOf('/')))
                .findFirst()
                .orElseThrow();

        String all = ToolRun.of("show", directory, key).endsWith(ExitStatus.OK).out();
        String without = ToolRun.of("show", "--no-bytes", directory, key)
                .endsWith(ExitStatus.OK)
                .out();

        assertThat(all).contains("\ntransaction\n  uid=0:", "  state=heuristic\n", "    state=heuristic-rollback\n");
        assertThat(all).contains("00000000  ");
        assertThat(without).contains("state=heuristic-rollback").doesNotContain("00000000  ");
        assertThat(ToolRun.of("show", "--no-bytes", "--json", directory, key)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("\"transaction\":{\"uid\"")
                .doesNotContain("base64");
    }

    /**
     * The codes are those of XAException. Narayana's record does not tell a mixed outcome, nor what was decided where a
     * mixed outcome or a hazard is all that stands in it.
     */
    @ParameterizedTest
    @CsvSource({"6, heuristic-rollback, commit", "5, heuristic-unknown, unknown", "8, heuristic-hazard, unknown"})
    void eachHeuristicIsNamed(int code, String state, String decision) throws Exception {
        Path directory = with(Kind.FILE, () -> RecordsOfTransactions.answeredWith(code));
        assertThat(ToolRun.of("list", "--participants", directory)
                        .endsWith(ExitStatus.OK)
                        .lines())
                .anyMatch(line -> line.contains(" heuristic "))
                .anyMatch(line -> line.contains("decision=" + decision))
                .anyMatch(line -> line.startsWith("  " + state + " "));
    }

    /** A participant that has committed on its own has done what was decided. */
    @Test
    void aHeuristicCommitLeavesNoRecord() throws Exception {
        Path directory = with(Kind.FILE, () -> RecordsOfTransactions.answeredWith(XAException.XA_HEURCOM));
        assertThat(ToolRun.of("list", directory).endsWith(ExitStatus.OK).out()).doesNotContain("AtomicAction");
    }

    @Test
    void theParentOfAnImportedTransactionDecides() throws Exception {
        List<String> lines = ToolRun.of(
                        "list", "--in-doubt", "--participants", with(Kind.FILE, RecordsOfTransactions::imported))
                .endsWith(ExitStatus.OK)
                .lines();
        assertThat(lines.get(1)).contains("decision=parent");
    }

    @Test
    void anotherKeyHasNoTransaction() throws Exception {
        Path directory = root.resolve("tx");
        try (ObjectStore store = Kind.FILE.open(directory)) {
            store.write(StateKey.parse("/Shop/Order:0a"), TestStores.bytes("?"), Durability.FORCED);
        }
        assertThat(ToolRun.of("show", directory, "/Shop/Order:0a")
                        .endsWith(ExitStatus.OK)
                        .out())
                .doesNotContain("transaction");
    }
}
