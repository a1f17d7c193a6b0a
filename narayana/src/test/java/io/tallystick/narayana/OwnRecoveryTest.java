package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.internal.jta.recovery.arjunacore.JTANodeNameXAResourceOrphanFilter;
import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.storage.ChildJvm;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node starts again: its own recovery rolls back no branch whose record it does not look for. */
class OwnRecoveryTest {
    private static final String NODE = "orders-2";
    private static final Map<String, String> SETTINGS = StoreKind.FILE.settings();

    @TempDir
    private Path directory;

    private void kill(CrashPoint point) {
        new KilledNode(directory, NODE).kill(SETTINGS, point);
    }

    private Path quarantine() {
        return directory.resolve("store").resolve("tallystick.quarantine");
    }

    private ObjectStore open() {
        StoreConfiguration.Builder builder = StoreConfiguration.builder();
        SETTINGS.forEach(builder::set);
        return ObjectStores.open(builder.directory(directory.resolve("store"))
                .set(StoreOption.NODE_ID, NODE)
                .build());
    }

    private String recover(String... more) {
        Map<String, String> properties =
                new LinkedHashMap<>(NarayanaProcess.properties(SETTINGS, directory.resolve("store")));
        properties.put("CoreEnvironmentBean.nodeIdentifier", NODE);
        properties.put("JTAEnvironmentBean.xaRecoveryNodes", NODE);
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
        return ChildJvm.of(RecoveringProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(0, directory.resolve("resources").toString());
    }

    /** Moves the record of the decision, and returns its Uid. */
    private String move(UnaryOperator<StateKey> to) {
        try (ObjectStore store = open()) {
            StateKey record = store.keys(WrittenRecord.ACTION).get(0);
            StateKey moved = to.apply(record);
            if (!moved.equals(record)) {
                store.write(moved, store.read(record).orElseThrow(), Durability.FORCED);
            }
            store.remove(record, Durability.FORCED);
            return NarayanaUid.text(record.id());
        }
    }

    private String giveUp() {
        return move(record -> StateKey.of(record.type() + "/Expired", record.id()));
    }

    private String forget() {
        return move(UnaryOperator.identity());
    }

    private void assertHalfCommitted() throws IOException {
        Path transaction = directory.resolve("resources").resolve(CrashPoint.BETWEEN_COMMITS.name());
        assertThat(FileResource.transactions(transaction.resolve("a"), "committed"))
                .hasSize(1);
        assertThat(FileResource.transactions(transaction.resolve("b"), "prepared"))
                .hasSize(1);
    }

    @Test
    void aBranchIsNotRolledBackWhoseRecordTheExpiryScannerHasGivenUp() throws IOException {
        kill(CrashPoint.BETWEEN_COMMITS);
        String uid = giveUp();

        String printed = recover();

        assertHalfCommitted();
        assertThat(printed)
                .contains(
                        "TALLY0428", "uid=" + uid + " was given up", "decision=commit", "xid=131077:", "SettleBranch");
    }

    /** Whichever filters a user or a framework names. */
    @Test
    void aListOfFiltersOfAUserDoesNotChangeThat() throws IOException {
        kill(CrashPoint.BETWEEN_COMMITS);
        giveUp();

        recover(
                "JTAEnvironmentBean.xaResourceOrphanFilterClassNames",
                JTANodeNameXAResourceOrphanFilter.class.getName());

        assertHalfCommitted();
    }

    @Test
    void aBranchIsNotRolledBackWhoseRecordWasForgotten() throws IOException {
        kill(CrashPoint.BETWEEN_COMMITS);
        String uid = forget();
        Files.createDirectories(quarantine());
        Path kept = quarantine().resolve("2026-11-27T03-12-45Z-forget-" + uid.replace(':', '_') + ".jsonl");
        Files.writeString(kept, "{}");

        String printed = recover();

        assertHalfCommitted();
        assertThat(printed).contains("TALLY0428", "uid=" + uid + " was forgotten", kept.toString());
    }

    @Test
    void aBranchIsNotRolledBackWhoseRecordIsKeptInAnotherDirectoryThatIsConfigured() throws IOException {
        kill(CrashPoint.BETWEEN_COMMITS);
        String uid = forget();
        Path elsewhere = Files.createDirectories(directory.resolve("kept"));
        Files.writeString(
                elsewhere.resolve("settled.log"),
                "time=2026-11-27T03:12:45Z user=app action=forget uid=" + uid + " type=x state=heuristic reason=T-1\n");

        recover("tallystick.indoubt.keep-in", elsewhere.toString());

        assertHalfCommitted();
    }

    /** Nobody can tell which ones they are. */
    @Test
    void noBranchIsRolledBackWhileTheForgottenRecordsCannotBeListed() throws IOException {
        kill(CrashPoint.BETWEEN_COMMITS);
        forget();
        Files.createDirectories(directory.resolve("store"));
        Path file = Files.writeString(directory.resolve("kept"), "no directory");

        String printed = recover("tallystick.indoubt.keep-in", file.toString());

        assertHalfCommitted();
        assertThat(printed).contains("TALLY0429", file.toString());
    }

    /** It shows that the claims above can be found false. */
    @Test
    void aBranchOfAnUndecidedTransactionIsRolledBack() throws IOException {
        kill(CrashPoint.BEFORE_LOG);
        Files.createDirectories(quarantine());
        Files.writeString(quarantine().resolve("2026-11-27T03-12-45Z-forget-0_1_2_3_4.jsonl"), "{}");

        assertThat(recover()).doesNotContain("TALLY0428");

        Path transaction = directory.resolve("resources").resolve(CrashPoint.BEFORE_LOG.name());
        assertThat(FileResource.transactions(transaction.resolve("a"), "prepared"))
                .isEmpty();
        assertThat(FileResource.transactions(transaction.resolve("a"), "rolledback"))
                .hasSize(1);
    }
}
