package io.tallystick.tool.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.state.OutputBuffer;
import com.arjuna.ats.internal.arjuna.recovery.AtomicActionExpiryScanner;
import com.arjuna.ats.internal.jta.transaction.arjunacore.jca.SubordinateTransaction;
import com.arjuna.ats.internal.jta.transaction.arjunacore.jca.SubordinationManager;
import com.arjuna.ats.jta.xa.XidImple;
import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonObject;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.record.ActionRecord;
import io.tallystick.narayana.logs.record.RecordState;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.transaction.xa.XAException;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Records of transactions that could not be finished, as Narayana wrote them, and records that Narayana never wrote.
 */
class ActionRecordTest {
    private static final String ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final String LRA = "/StateManager/BasicAction/LongRunningAction";
    private static final String SUBORDINATE = ACTION + "/SubordinateAtomicAction/JCA";

    // Narayana's numbers.
    private static final int END_OF_LIST = 463;
    private static final int RECOVERY_RECORD = 101;

    // What Narayana has to say of transactions that are made to fail. A logger without a reference is collected.
    private static final Logger NARAYANA = Logger.getLogger("com.arjuna");

    private ObjectStore store;

    @BeforeAll
    static void silence() {
        NARAYANA.setLevel(Level.OFF);
    }

    @AfterAll
    static void hear() {
        NARAYANA.setLevel(null);
    }

    @BeforeEach
    void useAStoreInMemory() {
        store = ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());
        RecordsOfTransactions.use(store);
    }

    @AfterEach
    void useNone() {
        StoreManager.shutdown();
    }

    @Test
    void aFailedSecondPhaseLeavesTheParticipantsThatAreStillToBeTold() throws Exception {
        Xid xid = RecordsOfTransactions.commitOver(
                new ScriptedResource(0), new ScriptedResource(XAException.XAER_RMFAIL));

        JsonObject record = decoded(ACTION);

        assertThat(record.getString("kind", "")).isEqualTo("transaction");
        assertThat(record.getString("status", "")).isEqualTo("COMMITTED");
        assertThat(record.getString("outcome", "")).isNotEmpty();
        assertThat(record.getString("created", "")).startsWith("20");
        assertThat(record.get("heuristics").asArray()).isEmpty();
        assertThat(record.get("notUnderstood")).isNull();
        assertThat(record.get("rest")).isNull();
        assertThat(record.get("participants").asArray()).hasSize(1);
        JsonObject participant = record.get("participants").asArray().get(0).asObject();
        assertThat(participant.getString("record", "")).isEqualTo("XAResourceRecord");
        assertThat(participant.getString("product", "")).isEqualTo("Scripted");
        assertThat(participant.getString("productVersion", "")).isEqualTo("7");
        assertThat(participant.getString("jndiName", "")).isEqualTo("java:/scripted");
        assertThat(participant.getBoolean("resourceSerialized", true)).isFalse();
        JsonObject shown = participant.get("xid").asObject();
        assertThat(shown.getInt("format", 0)).isEqualTo(xid.getFormatId());
        assertThat(shown.getString("global", "")).isEqualTo(hex(xid.getGlobalTransactionId()));
        assertThat(shown.getString("branch", "")).isEqualTo(hex(xid.getBranchQualifier()));
        assertThat(shown.getString("transaction", "")).isEqualTo(record.getString("transaction", "?"));
        assertThat(shown.getString("node", "")).isEqualTo("1");
        assertThat(shown.getString("branchUid", "")).matches("[0-9a-f:-]+");
    }

    @Test
    void theTransactionIsTheOneThatTheRecordLiesUnder() throws Exception {
        RecordsOfTransactions.commitOver(new ScriptedResource(0), new ScriptedResource(XAException.XAER_RMFAIL));
        StateKey key = store.keys(ACTION).get(0);
        assertThat(NarayanaUid.text(key.id())).isEqualTo(decoded(ACTION).getString("transaction", ""));
        assertThat(NarayanaUid.parse(NarayanaUid.text(key.id()), ':')).contains(key.id());
    }

    @Test
    void aHeuristicParticipantIsShownWithItsOutcome() throws Exception {
        RecordsOfTransactions.commitOver(new ScriptedResource(0), new ScriptedResource(XAException.XA_HEURRB));

        JsonObject record = decoded(ACTION);

        assertThat(record.get("participants").asArray()).isEmpty();
        assertThat(record.get("heuristics").asArray()).hasSize(1);
        JsonObject heuristic = record.get("heuristics").asArray().get(0).asObject();
        assertThat(heuristic.getString("outcome", "")).isEqualTo("HEURISTIC_ROLLBACK");
        assertThat(String.join("\n", lines(ActionRecord.decode(ACTION, state(ACTION)))))
                .contains("participants=none\nheuristics 1 of 1\n  record=XAResourceRecord\n")
                .contains("  outcome=HEURISTIC_ROLLBACK\n")
                .contains("  xid\n    format=131077\n");
    }

    @Test
    void aSerializedResourceIsNamedAndMeasuredAndNotRead() throws Exception {
        RecordsOfTransactions.commitOver(new ScriptedResource(0), new SerializableResource(XAException.XAER_RMFAIL));
        JsonObject record = decoded(ACTION);
        assertThat(record.get("participants").asArray()).hasSize(1);
        JsonObject first = record.get("participants").asArray().get(0).asObject();
        assertThat(first.getBoolean("resourceSerialized", false)).isTrue();
        assertThat(first.getString("resourceClass", "")).isEqualTo(SerializableResource.class.getName());
        assertThat(first.getInt("resourceBytes", 0)).isPositive();
    }

    @Test
    void aSubordinateTransactionShowsItsParent() throws Exception {
        Xid parent = new XidImple(new Uid());
        SubordinateTransaction imported =
                SubordinationManager.getTransactionImporter().importTransaction(parent);
        imported.enlistResource(new ScriptedResource(0));
        imported.doPrepare();

        JsonObject record = decoded(SUBORDINATE);

        assertThat(record.get("parentXid").asObject().getString("global", ""))
                .isEqualTo(hex(parent.getGlobalTransactionId()));
        assertThat(record.getString("parentNode", "")).isEqualTo("1");
        assertThat(record.getString("status", "")).isEqualTo("COMMITTING");
        assertThat(record.get("participants").asArray()).hasSize(1);
        assertThat(record.get("notUnderstood")).isNull();
    }

    @Test
    void aRecordClassThatIsNotKnownIsShownWithItsSizeAndWhatFollowsIsReadAllTheSame() throws Exception {
        RecordsOfTransactions.withUnknownClass();

        JsonObject record = decoded(ACTION);

        assertThat(record.get("participants").asArray()).hasSize(2);
        JsonObject unknown = record.get("participants").asArray().get(0).asObject();
        assertThat(unknown.getString("record", "")).isEqualTo("unknown type 1");
        int common = Integer.BYTES + NarayanaUid.BYTES + Integer.BYTES;
        assertThat(unknown.getInt("bytes", 0)).isEqualTo(Integer.BYTES + PrivateRecord.OWN_BYTES + common);
        assertThat(record.get("participants").asArray().get(1).asObject().getString("record", ""))
                .isEqualTo("XAResourceRecord");
        assertThat(record.getString("status", "")).isEqualTo("COMMITTED");
    }

    /** Recovery moves a record aside that it cannot restore, and Narayana appends a buffer's header to its bytes. */
    @Test
    void aRecordThatNarayanaHasMovedAsideForAnUnknownClassKeepsItsDecision() throws Exception {
        RecordsOfTransactions.withUnknownClass();
        StateKey record = store.keys(ACTION).get(0);

        assertThat(new AtomicActionExpiryScanner().moveEntry(new Uid(NarayanaUid.text(record.id()))))
                .isTrue();

        ActionRecord moved = ActionRecord.decode(ACTION + "/Expired", state(ACTION + "/Expired"));
        assertThat(moved.state()).isEqualTo(RecordState.GIVEN_UP);
        assertThat(json(moved).get("participants").asArray()).hasSize(2);
        assertThat(json(moved).getString("status", "")).isEqualTo("COMMITTED");
    }

    /** The coordinator of LRA packs fields of its own behind those of every transaction. */
    @ParameterizedTest
    @ValueSource(ints = {166, 167, 168})
    void anLraWithAParticipantIsNotDecodedAndNotCalledUnreadable(int code) throws Exception {
        ActionRecord record = ActionRecord.decode(LRA, lra(code));

        assertThat(record.state()).isEqualTo(RecordState.NOT_DECODED);
        assertThat(record.isInDoubt()).isTrue();
        assertThat(lines(record)).anyMatch(line -> line.contains("is not known"));
        assertThat(ActionRecord.decode(LRA + "/Failed", lra(code)).state()).isEqualTo(RecordState.GIVEN_UP);
    }

    @Test
    void anLraWithoutAParticipantIsNotCalledFinished() throws Exception {
        ActionRecord record = ActionRecord.decode(LRA, lra(END_OF_LIST));

        assertThat(record.state()).isEqualTo(RecordState.NOT_DECODED);
        assertThat(record.isInDoubt()).isTrue();
    }

    @Test
    void anLraThatIsCutOffIsUnreadable() throws Exception {
        byte[] whole = lra(166);

        assertThat(ActionRecord.decode(LRA, Arrays.copyOf(whole, 40)).state()).isEqualTo(RecordState.UNREADABLE);
    }

    /** That recovery has given it up says nothing of what stands in it. */
    @Test
    void aGivenUpRecordThatIsCutOffIsUnreadable() throws Exception {
        RecordsOfTransactions.commitOver(new ScriptedResource(0), new ScriptedResource(XAException.XAER_RMFAIL));
        byte[] whole = state(ACTION);
        String expired = ACTION + "/Expired";

        assertThat(ActionRecord.decode(expired, whole).state()).isEqualTo(RecordState.GIVEN_UP);
        for (int length = 0; length < whole.length; length++) {
            assertThat(ActionRecord.decode(expired, Arrays.copyOf(whole, length))
                            .state())
                    .as("length=" + length)
                    .isEqualTo(RecordState.UNREADABLE);
        }
    }

    /** The address of a database may have a password in it. */
    @Test
    void theDatabaseAndTheUserOfARecordAreNotShown() throws Exception {
        OutputBuffer packed = new OutputBuffer();
        packed.packString("#ARJUNA#");
        packed.packBytes(new Uid().getBytes());
        packed.packBytes(new Uid().getBytes());
        packed.packLong(1_700_000_000_000L);
        packed.packBoolean(false);
        packed.packInt(171); // an XA resource
        packed.packInt(7);
        packed.packBoolean(false);
        packed.packBoolean(false); // a serialized Xid
        packed.packBytes(new byte[] {1});
        packed.packInt(0);
        packed.packString("com.arjuna.ats.internal.jdbc.IndirectRecoverableConnection");
        packed.packString("jdbc:postgresql://db/tx?password=secret-of-url");
        packed.packString("secret-user");
        packed.packString("secret-word");
        packed.packBytes(new Uid().getBytes());
        packed.packString("/StateManager/AbstractRecord/XAResourceRecord");
        packed.packInt(END_OF_LIST);
        packed.packInt(0);
        packed.packInt(7);
        packed.packInt(0);
        packed.packInt(7);

        ActionRecord record = ActionRecord.decode(ACTION, packed.buffer());

        assertThat(record.state()).isEqualTo(RecordState.IN_DOUBT);
        assertThat(json(record).toString())
                .contains("\"database\":\"not shown\"", "\"user\":\"not shown\"", "\"password\":\"not shown\"")
                .doesNotContain("secret");
        assertThat(String.join("\n", lines(record))).doesNotContain("secret");
    }

    static byte[] lra(int firstParticipant) throws IOException {
        OutputBuffer packed = new OutputBuffer();
        packed.packString("#ARJUNA#");
        packed.packBytes(new Uid().getBytes());
        packed.packBytes(new Uid().getBytes());
        packed.packLong(1_700_000_000_000L);
        packed.packBoolean(false);
        packed.packInt(firstParticipant);
        if (firstParticipant == END_OF_LIST) {
            packed.packInt(0); // heuristics
            packed.packInt(0); // status, action type, outcome
            packed.packInt(0);
            packed.packInt(7);
        }
        packed.packString("http://coordinator/lra/1");
        packed.packString("http://participant/complete");
        return packed.buffer();
    }

    @Test
    void everyShorterRecordIsShownAsFarAsItGoes() throws Exception {
        RecordsOfTransactions.commitOver(new ScriptedResource(0), new ScriptedResource(XAException.XAER_RMFAIL));
        byte[] whole = state(ACTION);
        for (int length = 0; length < whole.length; length++) {
            ActionRecord record = ActionRecord.decode(ACTION, Arrays.copyOf(whole, length));
            assertThat(json(record).toString()).as("length=" + length).contains("notUnderstood");
            assertThat(json(record).getInt("size", -1)).isEqualTo(length);
        }
    }

    @Test
    void bytesThatNobodyWroteAreSafe() throws Exception {
        RecordsOfTransactions.commitOver(
                new ScriptedResource(0),
                new ScriptedResource(XAException.XA_HEURRB),
                new SerializableResource(XAException.XAER_RMFAIL));
        byte[] whole = state(ACTION);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> types = List.of(
                ACTION,
                SUBORDINATE,
                "/StateManager/BasicAction/TwoPhaseCoordinator/ArjunaTransactionImple/ServerTransaction/JCA",
                "/Recovery/TransactionStatusManager",
                "/Any/Object");
        for (int round = 0; round < 20_000; round++) {
            byte[] hostile = whole.clone();
            for (int change = random.nextInt(8); change >= 0; change--) {
                int at = random.nextInt(hostile.length - 8) + 8;
                hostile[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : 0xff);
            }
            String type = types.get(round % types.size());
            assertThatCode(() -> {
                        ActionRecord record = ActionRecord.decode(type, hostile);
                        Json.parse(json(record).toString());
                        assertThat(lines(record)).isNotEmpty();
                    })
                    .as("seed=" + seed + " round=" + round)
                    .doesNotThrowAnyException();
        }
    }

    /** Every offset looks like a long list that does not end: a search that went through them all would take hours. */
    @Test
    void aSearchThroughHostileBytesEnds() {
        ByteBuffer hostile = ByteBuffer.allocate(4 << 20);
        hostile.put(new byte[] {'#', 'B', 'E', 1, 16, 32, 64, 0});
        hostile.putInt(9).put("#ARJUNA#".getBytes(StandardCharsets.UTF_8)).position(24);
        hostile.putInt(NarayanaUid.BYTES).position(24 + 4 + NarayanaUid.BYTES);
        hostile.putLong(0).putInt(0).putInt(-1);
        while (hostile.remaining() >= 48) {
            hostile.putInt(RECOVERY_RECORD).putInt(NarayanaUid.BYTES);
            hostile.position(hostile.position() + NarayanaUid.BYTES).putInt(0);
        }
        ActionRecord record = ActionRecord.decode("/Any/BasicAction", hostile.array());
        assertThat(json(record).get("participants").asArray()).hasSize(1);
    }

    @Test
    void whatControlsATerminalIsEscaped() {
        byte[] text = "\u001b[2J".getBytes(StandardCharsets.UTF_8);
        byte[] state = ByteBuffer.allocate(64)
                .put(new byte[] {'#', 'B', 'E', 1, 16, 32, 64, 0})
                .putInt(text.length + 1)
                .put(text)
                .position(8 + 4 + 8)
                .putInt(4711)
                .putInt(0)
                .array();
        ActionRecord record = ActionRecord.decode("/Recovery/TransactionStatusManager", state);
        assertThat(lines(record)).contains("host=\\u001b[2J", "port=4711");
    }

    private byte[] state(String type) {
        List<StateKey> keys = store.keys(type);
        assertThat(keys).hasSize(1);
        return store.read(keys.get(0)).orElseThrow();
    }

    private JsonObject decoded(String type) {
        return json(ActionRecord.decode(type, state(type)));
    }

    private static JsonObject json(ActionRecord record) {
        return RecordText.toJson(record.fields().values());
    }

    private static List<String> lines(ActionRecord record) {
        return RecordText.toLines(record.fields().values());
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
