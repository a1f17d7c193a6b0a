package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.inspect.ListCommand;
import io.tallystick.tool.narayana.RecordsOfTransactions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code list} says of the records of a transaction manager: which are in doubt, and since when. */
class ListStatesTest {
    private static final Logger NARAYANA = Logger.getLogger("com.arjuna");
    private static final StateKey BOOKKEEPING = StateKey.of("/Recovery/TransactionStatusManager", id(1));
    private static final StateKey NAME = StateKey.of("/EISNAME", id(2));
    private static final StateKey COORDINATOR = StateKey.of("/RecoveryCoordinator", id(6));
    private static final StateKey EXPIRED = StateKey.of(TestStores.ACTION + "/Expired", id(3));
    private static final StateKey DAMAGED_EXPIRED = StateKey.of(TestStores.ACTION + "/Expired", id(7));
    private static final String LRA = "/StateManager/BasicAction/LongRunningAction";
    private static final StateKey FAILED_LRA = StateKey.of(LRA + "/Failed", id(5));
    private static final StateKey UNREADABLE = StateKey.of(TestStores.ACTION, id(4));

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

    private static ObjectId id(int last) {
        byte[] bytes = new byte[28];
        bytes[27] = (byte) last;
        return ObjectId.of(bytes);
    }

    private Path withRecords() throws Exception {
        Path directory = root.resolve("tx");
        try (ObjectStore store = Kind.SEGMENTED.open(directory)) {
            RecordsOfTransactions.use(store);
            try {
                RecordsOfTransactions.inDoubt();
                RecordsOfTransactions.heuristic();
            } finally {
                StoreManager.shutdown();
            }
        }
        try (ObjectStore store = Kind.SEGMENTED.open(directory)) {
            StateKey whole = store.keys(TestStores.ACTION).get(0);
            store.write(EXPIRED, store.read(whole).orElseThrow(), Durability.FORCED);
            for (StateKey key : List.of(BOOKKEEPING, NAME, COORDINATOR, FAILED_LRA, UNREADABLE, DAMAGED_EXPIRED)) {
                store.write(key, TestStores.bytes("?"), Durability.FORCED);
            }
            store.write(TestStores.SHADOW, TestStores.bytes("an application's"), Durability.FORCED);
        }
        return directory;
    }

    @Test
    void inDoubtHeuristicAndBookkeepingAreToldApart() throws Exception {
        List<String> lines =
                ToolRun.of("list", withRecords()).endsWith(ExitStatus.OK).lines();

        assertThat(lines)
                .filteredOn(line -> line.matches("COMMITTED +in-doubt +\\d+s .*AtomicAction:.*"))
                .hasSize(1);
        assertThat(lines)
                .filteredOn(line -> line.matches("COMMITTED +heuristic +\\d+s .*AtomicAction:.*"))
                .hasSize(1);
        assertThat(lines).anyMatch(line -> line.matches("COMMITTED +bookkeeping +- .*" + BOOKKEEPING));
        assertThat(lines).anyMatch(line -> line.matches("COMMITTED +bookkeeping +- .*" + NAME));
        assertThat(lines).anyMatch(line -> line.matches("COMMITTED +bookkeeping +- .*" + COORDINATOR));
        assertThat(lines).anyMatch(line -> line.matches("COMMITTED +given-up +\\d+s .*" + EXPIRED));
        assertThat(lines).anyMatch(line -> line.matches("COMMITTED +given-up +- .*" + FAILED_LRA));
        assertThat(lines).anyMatch(line -> line.matches("COMMITTED +unreadable +- .*" + UNREADABLE));
        assertThat(lines).anyMatch(line -> line.matches("COMMITTED +unreadable +- .*" + DAMAGED_EXPIRED));
        assertThat(lines).anyMatch(line -> line.matches("COMMITTED +- +- .*" + TestStores.SHADOW));
        assertThat(lines).hasSizeGreaterThanOrEqualTo(9); // Narayana may have left a note of its own
    }

    /** A record that cannot be read may be of a transaction in doubt, and so it is listed. */
    @Test
    void onlyWhatRecoveryHasToFinishIsInDoubt() throws Exception {
        List<String> lines = ToolRun.of("list", "--in-doubt", withRecords())
                .endsWith(ExitStatus.OK)
                .lines();

        assertThat(lines).hasSize(3);
        assertThat(lines).anyMatch(line -> line.contains(" in-doubt "));
        assertThat(lines).anyMatch(line -> line.contains(" unreadable ") && line.endsWith(UNREADABLE.toString()));
        assertThat(lines).anyMatch(line -> line.contains(" unreadable ") && line.endsWith(DAMAGED_EXPIRED.toString()));
    }

    @Test
    void programsGetStateAndAge() throws Exception {
        Instant before = Instant.now().minusSeconds(1);
        JsonObject answer = ToolRun.of("list", "--in-doubt", "--json", withRecords())
                .endsWith(ExitStatus.OK)
                .json();

        JsonObject inDoubt = answer.get("keys").asArray().values().stream()
                .map(JsonValue::asObject)
                .filter(key -> "in-doubt".equals(key.getString("state", "")))
                .findFirst()
                .orElseThrow();
        assertThat(Instant.parse(inDoubt.getString("created", ""))).isBetween(before, Instant.now());
        assertThat(inDoubt.getLong("ageSeconds", -1)).isBetween(0L, 600L);
    }

    @Test
    void anAgeIsShortAndRoundedDown() {
        assertThat(ListCommand.text(Duration.ofMillis(-5))).isEqualTo("0s");
        assertThat(ListCommand.text(Duration.ofSeconds(59))).isEqualTo("59s");
        assertThat(ListCommand.text(Duration.ofSeconds(61))).isEqualTo("1m");
        assertThat(ListCommand.text(Duration.ofMinutes(119))).isEqualTo("1h");
        assertThat(ListCommand.text(Duration.ofHours(49))).isEqualTo("2d");
    }

    @Test
    void anEmptyStoreSaysSo() {
        Path directory = root.resolve("tx");
        Kind.FILE.open(directory).close();

        ToolRun run = ToolRun.of("list", directory).endsWith(ExitStatus.OK);

        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("directory=" + directory, "the store is empty");
        assertThat(ToolRun.of("list", "--quiet", directory).err()).isEmpty();
        assertThat(ToolRun.of("list", "--json", directory).err()).isEmpty();
    }

    @Test
    void aFilterThatNothingPassesSaysHowMuchThereIs() {
        Path directory = TestStores.filled(Kind.FILE, root.resolve("tx"));

        assertThat(ToolRun.of("list", "--type", "/None", directory)
                        .endsWith(ExitStatus.OK)
                        .err())
                .contains("none of 7 keys");
    }
}
