package io.tallystick.tool.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import io.tallystick.narayana.logs.KeptRecord;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.recover.ForgottenRecords;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import io.tallystick.tool.TestStores;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.narayana.RecordsOfTransactions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.transaction.xa.XAException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A record that recovery does not end is forgotten, kept, and brought back. */
class ForgetCommandTest {
    private static final Logger NARAYANA = Logger.getLogger("com.arjuna");
    private static final String ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";

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

    private Path store(Kind kind) throws Exception {
        return store(kind, () -> {
            RecordsOfTransactions.inDoubt();
            RecordsOfTransactions.heuristic();
        });
    }

    private Path store(Kind kind, Transactions transactions) throws Exception {
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

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aHeuristicIsForgottenAndComesBackByAnImport(Kind kind) throws Exception {
        Path directory = store(kind);
        String uid = uidOf("heuristic", directory);
        List<String> before = keys(directory);

        String answer = ToolRun.of(
                        "forget",
                        directory,
                        uid,
                        "--branches-ended",
                        "--yes",
                        "--reason",
                        "accounts was booked by hand: T-4711")
                .endsWith(ExitStatus.OK)
                .out();

        assertThat(answer).contains("forgotten=" + uid + " kept=");
        assertThat(ToolRun.of("list", directory).out())
                .doesNotContain(" heuristic ")
                .contains(" in-doubt ");
        Path kept = Path.of(answer.strip().substring(answer.indexOf("kept=") + "kept=".length()));
        assertThat(kept).exists().hasParent(directory.toRealPath().resolve("tallystick.quarantine"));
        assertThat(Files.readString(kept.resolveSibling("settled.log")))
                .startsWith("time=20")
                .contains(" action=forget uid=" + uid, " state=heuristic decision=commit branches-ended=true ")
                .endsWith(" reason=accounts was booked by hand: T-4711\n");
        assertThat(ForgottenRecords.in(new SystemDisk(), List.of(kept.getParent()), List.of())
                        .placeOf(NarayanaUid.parse(uid, ':').orElseThrow()))
                .as("recovery knows of it")
                .contains(kept);
        ToolRun.of("verify", directory).endsWith(ExitStatus.OK);
        ToolRun.of("quarantine", "list", directory).endsWith(ExitStatus.OK);

        ToolRun.of("import", directory, kept).endsWith(ExitStatus.OK);
        assertThat(keys(directory)).isEqualTo(before);
    }

    @Test
    void withoutYesThePlanIsShownAndNothingIsChanged() throws Exception {
        Path directory = store(Kind.FILE);
        var before = TestStores.snapshot(directory);

        ToolRun run = ToolRun.of("forget", directory, uidOf("heuristic", directory), "--branches-ended")
                .endsWith(ExitStatus.REFUSED);

        assertThat(run.out()).contains("state=heuristic decision=commit", "heuristic-rollback java:/scripted");
        assertThat(run.err()).contains("nothing was changed; --yes and --reason TEXT");
        assertThat(TestStores.snapshot(directory)).isEqualTo(before);
    }

    @Test
    void aTransactionInDoubtIsForgottenOnlyIfItsBranchesHaveEnded() throws Exception {
        Path directory = store(Kind.SEGMENTED);
        String uid = uidOf("in-doubt", directory);
        var before = TestStores.snapshot(directory);

        assertThat(ToolRun.of("forget", directory, uid, "--yes", "--reason", "it is old")
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("AuditNode", "--branches-ended");
        assertThat(TestStores.snapshot(directory)).isEqualTo(before);

        ToolRun.of("forget", directory, uid, "--branches-ended", "--yes", "--reason", "audit of 3 a.m.")
                .endsWith(ExitStatus.OK);
        assertThat(ToolRun.of("list", directory).out()).doesNotContain(" in-doubt ");
    }

    /**
     * Narayana records XAER_RMERR of a commit as heuristic-rollback, XAER_NOTA and XAER_INVAL as heuristic-hazard. A
     * driver answers so for errors after which the branch is still prepared.
     */
    @ParameterizedTest
    @ValueSource(ints = {XAException.XAER_RMERR, XAException.XAER_INVAL, XAException.XA_HEURRB})
    void aHeuristicWhoseBranchMayStillBePreparedIsNotForgotten(int code) throws Exception {
        Path directory = store(Kind.FILE, () -> RecordsOfTransactions.answeredWith(code));
        String uid = uidOf("heuristic", directory);
        var before = TestStores.snapshot(directory);

        assertThat(ToolRun.of("forget", directory, uid, "--yes", "--reason", "it is old")
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("AuditNode", "--branches-ended");
        assertThat(TestStores.snapshot(directory)).isEqualTo(before);
    }

    /** No audit can show that its branch has ended. */
    @Test
    void aParticipantWhoseBranchCannotBeNamedIsNotForgotten() throws Exception {
        Path directory = store(Kind.FILE, RecordsOfTransactions::withUnknownClass);
        String uid = uidOf("in-doubt", directory);
        var before = TestStores.snapshot(directory);

        assertThat(ToolRun.of("forget", directory, uid, "--branches-ended", "--yes", "--reason", "it is old")
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("unknown type 1", "nothing was changed", "Recover with the version of the application");
        assertThat(TestStores.snapshot(directory)).isEqualTo(before);
    }

    /** Recovery moves such a record aside at its first scan. An audit finds its branches by the Uid. */
    @Test
    void aGivenUpRecordWithAClassThatIsMissingIsForgottenAndComesBackByAnImport() throws Exception {
        Path directory = store(Kind.FILE, RecordsOfTransactions::withUnknownClass);
        isForgottenAndComesBack(directory, givenUp(directory, ACTION, whole -> whole));
    }

    @Test
    void aGivenUpRecordThatCannotBeReadIsForgottenAndComesBackByAnImport() throws Exception {
        Path directory = store(Kind.FILE);
        isForgottenAndComesBack(directory, givenUp(directory, ACTION, whole -> Arrays.copyOf(whole, 120)));
    }

    /** Its branches have the Xid of the parent, which nobody knows. */
    @Test
    void aGivenUpRecordOfAnImportedTransactionThatCannotBeReadIsNotForgotten() throws Exception {
        Path directory = store(Kind.FILE);
        StateKey expired =
                givenUp(directory, ACTION + "/SubordinateAtomicAction/JCA", whole -> Arrays.copyOf(whole, 20));
        assertThat(ToolRun.of("forget", directory, expired, "--branches-ended", "--yes", "--reason", "x")
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("it was imported", "nothing was changed");
        assertThat(ToolRun.of("list", directory).out()).contains("/Expired:");
    }

    private static StateKey givenUp(Path directory, String type, UnaryOperator<byte[]> change) throws IOException {
        try (ObjectStore store = Kind.FILE.open(directory)) {
            StateKey action = store.keys(ACTION).get(0);
            StateKey expired = StateKey.of(type + "/Expired", action.id());
            store.write(expired, change.apply(store.read(action).orElseThrow()), Durability.FORCED);
            return expired;
        }
    }

    private static void isForgottenAndComesBack(Path directory, StateKey expired) throws IOException {
        byte[] before = read(directory, expired).orElseThrow();
        assertThat(ToolRun.of("forget", directory, expired, "--yes", "--reason", "x")
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("--branches-ended");
        String kept = ToolRun.of("forget", directory, expired, "--branches-ended", "--yes", "--reason", "x")
                .endsWith(ExitStatus.OK)
                .out()
                .strip()
                .replaceAll(".* kept=", "");
        assertThat(read(directory, expired)).isEmpty();
        ToolRun.of("import", directory, kept).endsWith(ExitStatus.OK);
        assertThat(read(directory, expired)).contains(before);
    }

    private static Optional<byte[]> read(Path directory, StateKey key) throws IOException {
        try (ObjectStore store = Kind.FILE.open(directory)) {
            return store.read(key);
        }
    }

    /** An LRA has no branches, and recovery does nothing with a failed one. */
    @Test
    void anLraThatHasFailedIsForgotten() throws Exception {
        Path directory = store(Kind.FILE);
        StateKey failed = StateKey.of("/StateManager/BasicAction/LongRunningAction/Failed", id(3));
        try (ObjectStore store = Kind.FILE.open(directory)) {
            store.write(failed, RecordsOfTransactions.lra(), Durability.FORCED);
        }
        ToolRun.of("forget", directory, failed, "--yes", "--reason", "x").endsWith(ExitStatus.REFUSED);
        ToolRun.of("forget", directory, failed, "--branches-ended", "--yes", "--reason", "x")
                .endsWith(ExitStatus.OK);
    }

    @Test
    void whoForgetsADecisionToCommitIsWarned() throws Exception {
        Path directory = store(Kind.FILE);
        String[] uids = {uidOf("heuristic", directory), uidOf("in-doubt", directory)};
        assertThat(ToolRun.of("forget", directory, uids[0], "--branches-ended")
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("A branch of it that shows up later is left alone");
        assertThat(ToolRun.of("forget", directory, uids[1], "--branches-ended", "--yes", "--reason", "x")
                        .endsWith(ExitStatus.OK)
                        .err())
                .contains("A branch of it that shows up later is left alone");
    }

    @Test
    void whatIsNoTransactionOrCannotBeReadIsRefused() throws Exception {
        Path directory = TestStores.filled(Kind.FILE, root.resolve("filled"));
        StateKey status = StateKey.of("/Recovery/TransactionStatusManager", id(1));
        StateKey lra = StateKey.of("/StateManager/BasicAction/LongRunningAction", id(2));
        try (ObjectStore store = Kind.FILE.open(directory)) {
            store.write(status, TestStores.bytes("?"), Durability.FORCED);
            store.write(lra, TestStores.bytes("?"), Durability.FORCED);
        }
        for (String key : List.of(TestStores.UID.toString(), "/Shop/Order:0b01", status.toString(), lra.toString())) {
            assertThat(ToolRun.of("forget", directory, key, "--branches-ended", "--yes", "--reason", "why not")
                            .endsWith(ExitStatus.REFUSED)
                            .err())
                    .as(key)
                    .contains("could contradict a decision or lose data");
        }
        ToolRun.of("forget", directory, ACTION + ":ff", "--yes", "--reason", "x")
                .endsWith(ExitStatus.NEGATIVE);
    }

    @Test
    void aGivenUpRecordIsForgotten() throws Exception {
        Path directory = store(Kind.FILE);
        StateKey expired;
        try (ObjectStore store = Kind.FILE.open(directory)) {
            StateKey action = store.keys(ACTION).get(0);
            expired = StateKey.of(ACTION + "/Expired", action.id());
            store.write(expired, store.read(action).orElseThrow(), Durability.FORCED);
        }
        ToolRun.of("forget", directory, expired, "--branches-ended", "--yes", "--reason", "settled in 2025")
                .endsWith(ExitStatus.OK);
        assertThat(ToolRun.of("list", directory).out()).doesNotContain("/Expired:");
    }

    @Test
    void aStoreInUseIsRefused() throws Exception {
        Path directory = store(Kind.SEGMENTED);
        String uid = uidOf("heuristic", directory);
        try (ObjectStore store = Kind.SEGMENTED.open(directory)) {
            ToolRun.of("forget", directory, uid, "--branches-ended", "--yes", "--reason", "x")
                    .endsWith(ExitStatus.IN_USE);
            assertThat(store.keys(ACTION)).hasSize(2);
        }
    }

    @Test
    void aReasonIsNeededAndStaysOnOneLine() throws Exception {
        Path directory = store(Kind.FILE);
        String uid = uidOf("heuristic", directory);
        ToolRun.of("forget", directory, uid, "--yes").endsWith(ExitStatus.USAGE);
        for (String reason : List.of("", "a\nb", "x".repeat(501))) {
            assertThat(ToolRun.of("forget", directory, uid, "--yes", "--reason", reason)
                            .exitCode())
                    .as(reason)
                    .isEqualTo(ExitStatus.USAGE.code());
        }
        assertThat(keys(directory)).hasSizeGreaterThanOrEqualTo(2);
    }

    /** Recovery of the node would roll back what it has left alone so far. */
    @Test
    void aMigrationAndAnExportSayThatTheForgottenRecordsDoNotGoAlong() throws Exception {
        Path directory = store(Kind.FILE);
        String quarantine = directory.resolve("tallystick.quarantine").toString();
        assertThat(ToolRun.of("export", directory).endsWith(ExitStatus.OK).err())
                .doesNotContain("forgotten");
        ToolRun.of("forget", directory, uidOf("heuristic", directory), "--branches-ended", "--yes", "--reason", "x")
                .endsWith(ExitStatus.OK);

        assertThat(ToolRun.of("export", directory).endsWith(ExitStatus.OK).err())
                .contains(quarantine, "copy settled.log and *-forget-*.jsonl", "before its node starts");
        assertThat(ToolRun.of("migrate", directory, root.resolve("new"))
                        .endsWith(ExitStatus.OK)
                        .out())
                .containsOnlyOnce("copy settled.log and *-forget-*.jsonl")
                .contains("remark: " + quarantine);
    }

    @ParameterizedTest
    @EnumSource(names = {"FILE", "SEGMENTED"})
    void theForgottenRecordsGoIntoABackupAndBackAgain(Kind kind) throws Exception {
        Path directory = store(kind);
        String uid = uidOf("heuristic", directory);
        ToolRun.of("forget", directory, uid, "--branches-ended", "--yes", "--reason", "x")
                .endsWith(ExitStatus.OK);
        Path backup = root.resolve("backup");
        Path restored = root.resolve("restored");
        Path earlier = Files.createDirectories(restored.resolve("tallystick.quarantine"))
                .resolve("settled.log");
        Files.writeString(earlier, "time=2026-11-27T03:12:45Z user=app action=forget uid=0:1:2:3:4 reason=T-1\n");

        ToolRun.of("backup", directory, backup).endsWith(ExitStatus.OK);
        ToolRun.of("restore", backup, restored).endsWith(ExitStatus.OK);

        assertThat(forgotten(restored)).containsAll(forgotten(directory));
        assertThat(Files.readAllLines(earlier)).hasSize(2).anyMatch(line -> line.contains(uid));
        assertThat(ForgottenRecords.in(new SystemDisk(), List.of(restored.resolve("tallystick.quarantine")), List.of())
                        .placeOf(NarayanaUid.parse(uid, ':').orElseThrow()))
                .isPresent();
        Files.writeString(
                backup.resolve("store").resolve("tallystick.quarantine").resolve("settled.log"),
                "less",
                StandardOpenOption.APPEND);
        ToolRun.of("restore", backup, root.resolve("other")).endsWith(ExitStatus.NEGATIVE);
    }

    private static List<String> forgotten(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("tallystick.quarantine"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.contains("-forget-"))
                    .toList();
        }
    }

    @Test
    void theRecordIsKeptWhereAsked() throws Exception {
        Path directory = store(Kind.FILE);
        Path elsewhere = Files.createDirectory(root.resolve("kept"));
        String uid = uidOf("heuristic", directory);

        ToolRun.of("forget", directory, uid, "--branches-ended", "--keep-in", elsewhere, "--yes", "--reason", "x")
                .endsWith(ExitStatus.OK);

        try (Stream<Path> files = Files.list(elsewhere)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .hasSize(3)
                    .contains("settled.log", "settled.lock");
        }
        assertThat(ForgottenRecords.in(new SystemDisk(), List.of(directory.resolve("tallystick.quarantine")), List.of())
                        .placeOf(NarayanaUid.parse(uid, ':').orElseThrow()))
                .as("recovery of the node need not know of the other directory")
                .contains(directory.resolve("tallystick.quarantine").resolve("settled.log"));
    }

    /** A volume that is not mounted, or a slip in the name: a directory that is made there hides what was kept. */
    @Test
    void aDirectoryThatIsMissingIsNotMadeAndNothingIsForgotten() throws Exception {
        Path directory = store(Kind.FILE);
        Path missing = root.resolve("missing");
        String uid = uidOf("heuristic", directory);
        var before = TestStores.snapshot(directory);
        for (Path wrong : List.of(missing, Files.createFile(root.resolve("file")))) {
            assertThat(ToolRun.of(
                                    "forget",
                                    directory,
                                    uid,
                                    "--branches-ended",
                                    "--keep-in",
                                    wrong,
                                    "--yes",
                                    "--reason",
                                    "x")
                            .endsWith(ExitStatus.USAGE)
                            .err())
                    .contains("--keep-in " + wrong + " is no directory that is there", "mount it");
        }
        assertThat(missing).doesNotExist();
        assertThat(TestStores.snapshot(directory)).isEqualTo(before);

        Path quarantine = directory.resolve("tallystick.quarantine");
        ToolRun.of("forget", directory, uid, "--branches-ended", "--keep-in", quarantine, "--yes", "--reason", "x")
                .endsWith(ExitStatus.OK);
    }

    /** Otherwise the trail says of a record that it was forgotten which is in the log. */
    @Test
    void theTrailSaysThatARecordStays() throws Exception {
        Path directory = store(Kind.FILE);
        Path elsewhere = Files.createDirectory(root.resolve("kept"));
        String uid = uidOf("heuristic", directory);
        List<String> before = keys(directory);
        // Its own trail cannot be written.
        Files.createDirectories(directory.resolve("tallystick.quarantine").resolve("settled.log"));

        ToolRun.of("forget", directory, uid, "--branches-ended", "--keep-in", elsewhere, "--yes", "--reason", "x")
                .endsWith(ExitStatus.FAILED);

        assertThat(keys(directory)).isEqualTo(before);
        assertThat(Files.readAllLines(elsewhere.resolve("settled.log")))
                .hasSize(2)
                .allMatch(line -> line.contains(" action=forget uid=" + uid))
                .last()
                .asString()
                .contains(".jsonl outcome=not-removed reason=x");
    }

    /** A process that forgets online keeps a record so. */
    @Test
    void whatAProcessHasKeptIsImported() throws Exception {
        Path directory = store(Kind.SEGMENTED);
        List<String> before = keys(directory);
        String uid = uidOf("heuristic", directory);
        Path kept;
        byte[] state;
        StateKey key = StateKey.of(ACTION, NarayanaUid.parse(uid, ':').orElseThrow());
        try (ObjectStore store = Kind.SEGMENTED.open(directory)) {
            state = store.read(key).orElseThrow();
            kept = new KeptRecord(new SystemDisk(), root)
                    .keep("journal", "", key, StateImage.of(state, null, false), Instant.EPOCH);
            store.remove(key, Durability.FORCED);
        }
        assertThat(keys(directory)).isNotEqualTo(before);

        ToolRun.of("import", directory, kept).endsWith(ExitStatus.OK);

        assertThat(keys(directory)).isEqualTo(before);
        try (ObjectStore store = Kind.SEGMENTED.open(directory)) {
            assertThat(store.read(key)).contains(state);
        }
    }

    private static ObjectId id(int last) {
        byte[] bytes = new byte[28];
        bytes[27] = (byte) last;
        return ObjectId.of(bytes);
    }

    private static String uidOf(String state, Path directory) {
        List<String> lines = ToolRun.of("list", "--participants", directory).lines();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains(" " + state + " ")) {
                return lines.get(i + 1).strip().split("[= ]")[1];
            }
        }
        throw new AssertionError("no transaction is " + state + ": " + lines);
    }

    private static List<String> keys(Path directory) throws IOException {
        return ToolRun.of("export", directory).lines().stream()
                .filter(line -> line.startsWith("{\"type\""))
                .toList();
    }
}
