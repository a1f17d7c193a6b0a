package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.storage.ChildJvm;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A management client settles transactions of a running process, with Narayana's recovery in it. */
class OnlineSettlingTest {
    private static final String SETTLE = "tallystick.indoubt.settle";

    private final WrittenRecord heuristic = new WrittenRecord(1, "orders-2").rolledBack("java:/stock");
    private final String uid = NarayanaUid.text(heuristic.key().id());

    @TempDir
    private Path directory;

    private Path store;

    @BeforeEach
    void write() {
        store = directory.resolve("store");
        try (ObjectStore log = open()) {
            log.write(heuristic.key(), heuristic.bytes(), Durability.FORCED);
        }
    }

    private ObjectStore open() {
        StoreConfiguration.Builder builder = StoreConfiguration.builder();
        StoreKind.SEGMENTED_CHANNEL.settings().forEach(builder::set);
        return ObjectStores.open(builder.directory(store).build());
    }

    private String run(Map<String, String> more, String... arguments) {
        Map<String, String> properties = new LinkedHashMap<>(StoreKind.SEGMENTED_CHANNEL.settings());
        properties.put("tallystick.directory", store.toString());
        properties.put("tallystick.jmx", "true");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        properties.putAll(more);
        return ChildJvm.of(SettlingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(0, arguments);
    }

    @Test
    void byDefaultThereIsNoBeanForIt() {
        assertThat(run(Map.of(), "forget", uid, "T-1", "jane")).contains(SettlingProcess.BEANS + "0");
    }

    @Test
    void aHeuristicRecordIsForgottenWhileRecoveryRuns() throws Exception {
        assertThat(run(Map.of(SETTLE, "true"), "forget", uid, "T-1", "jane"))
                .contains(SettlingProcess.BEANS + "1", SettlingProcess.ANSWER + "forgotten uid=" + uid)
                .contains("TALLY0430 jane has settled by hand", "in doubt: {}");
        assertThat(Files.readString(store.resolve("tallystick.quarantine").resolve("settled.log")))
                .contains("user=jane action=forget uid=" + uid, "reason=T-1");
        try (ObjectStore log = open()) {
            assertThat(log.read(heuristic.key())).isEmpty();
        }
    }

    @Test
    void retryScansAndSaysWhatIsLeft() {
        assertThat(run(Map.of(SETTLE, "true"), "retry", "T-1", "jane"))
                .contains(SettlingProcess.ANSWER + "scan=", "left={heuristic=1}");
    }

    @Test
    void aBadArgumentIsToldInPlainClasses() {
        assertThat(run(Map.of(SETTLE, "true"), "forget", uid, "T-1", " "))
                .contains(SettlingProcess.ANSWER + "java.lang.IllegalArgumentException: say who does it");
        assertThat(run(Map.of(SETTLE, "true"), "forget", "0:1:2:3:4", "T-1", "jane"))
                .contains(SettlingProcess.ANSWER + "java.lang.IllegalStateException: the log has no record");
    }
}
