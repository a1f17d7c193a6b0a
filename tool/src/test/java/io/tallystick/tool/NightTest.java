package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.night.NightBook;
import io.tallystick.narayana.night.NightProcess;
import io.tallystick.narayana.night.NightShift;
import io.tallystick.storage.ChildJvm;
import io.tallystick.store.StoreOption;
import io.tallystick.store.postgresql.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A transaction of each kind that docs/three-in-the-morning.md knows, in an application without a framework: seen,
 * audited, and settled with the commands of the page.
 */
@Tag("long")
@Timeout(180)
class NightTest {
    private static final String NODE = "orders-2";

    @TempDir
    private Path directory;

    @Test
    void aNightOnAJournal() throws Exception {
        Map<String, String> settings = settings("journal");
        settings.put(StoreOption.JOURNAL_SEGMENT_SIZE.key(), "4MiB");
        onADirectory(settings, true);
    }

    @Test
    void aNightOnAFileStoreWhichIsReadOnlyWhileNoProcessHasIt() throws Exception {
        onADirectory(settings("file"), false);
    }

    @Test
    void aNightOnALogInPostgresql() throws Exception {
        PostgresServer.obstacle().ifPresent(why -> Assumptions.abort("skipped: " + why));
        try (PostgresServer server = PostgresServer.start()) {
            Path keepIn = Files.createDirectory(directory.resolve("keep"));
            Map<String, String> settings = settings("postgresql");
            settings.put(StoreOption.POSTGRESQL_URL.key(), server.url());
            settings.put(StoreOption.POSTGRESQL_CREATE_TABLES.key(), "true");
            settings.put(StoreOption.REQUIRE_REPLICATION.key(), "none");
            settings.put(StoreOption.INDOUBT_KEEP_IN.key(), keepIn.toString());
            List<String> log = List.of(
                    "--url", server.url(), "--node", NODE, "-D" + StoreOption.REQUIRE_REPLICATION.key() + "=none");
            shift(settings, new NightShift.Tool(classPath(), log, Optional.of(keepIn)), true);
        }
    }

    private void onADirectory(Map<String, String> settings, boolean isReadBeside) throws Exception {
        Path log = directory.resolve("log");
        settings.put(StoreOption.DIRECTORY.key(), log.toString());
        shift(settings, NightShift.Tool.on(log, classPath()), isReadBeside);
    }

    private static Map<String, String> settings(String store) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(StoreOption.STORE.key(), store);
        settings.put("JTAEnvironmentBean.orphanSafetyInterval", "1000");
        settings.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        return settings;
    }

    private void shift(Map<String, String> settings, NightShift.Tool tool, boolean isReadBeside) throws Exception {
        NightBook book = new NightBook(directory.resolve("resources"));
        NightShift shift = new NightShift(book, NODE, classPath(), settings, tool);
        try (ChildJvm.Running node = ChildJvm.of(NightProcess.class)
                .in(directory)
                .withProperties(ofNode(settings))
                .start(book.directory().toString())) {
            shift.begin(left(node));
            shift.checkSeen(ask(node, "look"));
            if (isReadBeside) {
                shift.audit();
            }
            for (String label : List.of("heuristic-rollback", "heuristic-commit", "heuristic-mixed")) {
                assertThat(ask(node, "forget " + shift.uid(label))).contains("forgotten uid=" + shift.uid(label));
                shift.isSettledOnline(label);
            }
            assertThat(ask(node, "forget " + shift.uid("lost-resource"))).startsWith("refused: ");
            assertThat(ask(node, "imported")).isEqualTo("committed");
            shift.isSettledOnline("imported");
            node.tell(NightProcess.END);
            node.awaitEnd();
        }
        if (!isReadBeside) {
            shift.audit();
        }
        shift.settleNotRetried();
        for (String label : List.of("heuristic-hazard", "not-retried", "lost-resource")) {
            shift.forget(label);
        }
        shift.recover();
        shift.checkSettled();
    }

    /** The node has its names, and rolls no orphan back before it was seen. */
    private static Map<String, String> ofNode(Map<String, String> settings) {
        Map<String, String> properties = new LinkedHashMap<>(settings);
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "600000");
        properties.put(StoreOption.NODE_ID.key(), NODE);
        properties.put(StoreOption.INDOUBT_SETTLE.key(), "true");
        properties.put("CoreEnvironmentBean.nodeIdentifier", NODE);
        properties.put("JTAEnvironmentBean.xaRecoveryNodes", NODE);
        properties.put("CoordinatorEnvironmentBean.transactionStatusManagerEnable", "false");
        properties.put(
                "JTAEnvironmentBean.xaResourceRecordWrappingPluginClassName", "io.tallystick.narayana.NamedResources");
        return properties;
    }

    private static List<String> left(ChildJvm.Running node) throws IOException {
        List<String> left = new ArrayList<>();
        String line = node.line();
        while (!line.startsWith(NightProcess.ANSWER)) {
            if (line.startsWith(NightProcess.LEFT)) {
                left.add(line.substring(NightProcess.LEFT.length()));
            }
            line = node.line();
            assertThat(line).as("the node goes on").isNotNull();
        }
        return left;
    }

    private static String ask(ChildJvm.Running node, String words) throws IOException {
        node.tell(words);
        String line = node.line();
        while (!line.startsWith(NightProcess.ANSWER)) {
            line = node.line();
        }
        return line.substring(NightProcess.ANSWER.length());
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }
}
