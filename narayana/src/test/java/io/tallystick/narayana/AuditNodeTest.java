package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import io.tallystick.storage.ChildJvm;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node that is killed in the middle of its transactions, and an audit of what it has left. */
@Timeout(240)
class AuditNodeTest {
    private static final String NODE = "orders-2";

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(names = {"FILE", "SEGMENTED_CHANNEL", "ARTEMIS_CHANNEL"})
    void whatAKilledNodeHasLeftIsToldAndNothingIsChanged(StoreKind kind) throws IOException {
        kill(kind, CrashPoint.BETWEEN_COMMITS);
        kill(kind, CrashPoint.BEFORE_LOG);
        Map<String, String> before = content();

        String printed = audit(kind).endsWith(AuditNode.IN_DOUBT, arguments());

        assertThat(printed)
                .contains("decided 1: ", "decision=commit state=in-doubt")
                .contains("orphan 2: ")
                .contains("TALLY0425 status 4: node " + NODE)
                .doesNotContain("two-nodes", "branch-gone");
        assertThat(content()).isEqualTo(before);
    }

    /** Both resources have committed, and the record is there: only the log knows of it. */
    @Test
    void aRecordWhoseBranchesAreGoneIsTold() throws IOException {
        kill(StoreKind.SEGMENTED_CHANNEL, CrashPoint.BEFORE_REMOVE);
        assertThat(audit(StoreKind.SEGMENTED_CHANNEL).endsWith(AuditNode.IN_DOUBT, arguments()))
                .contains("branch-gone 2: ", "decision=commit resource=BEFORE_REMOVE/a");
    }

    @Test
    void afterRecoveryNothingIsInDoubt() throws IOException {
        kill(StoreKind.SEGMENTED_CHANNEL, CrashPoint.BETWEEN_COMMITS);
        kill(StoreKind.SEGMENTED_CHANNEL, CrashPoint.BEFORE_LOG);
        child(RecoverNode.class, StoreKind.SEGMENTED_CHANNEL).endsWith(RecoverNode.RECOVERED, arguments());
        assertThat(audit(StoreKind.SEGMENTED_CHANNEL).endsWith(AuditNode.SETTLED, arguments()))
                .contains("nothing is in doubt", "TALLY0425 status 0");
    }

    @Test
    void aResourceThatHangsIsNamedAndTheOthersAreAudited() throws IOException {
        kill(StoreKind.SEGMENTED_CHANNEL, CrashPoint.BEFORE_LOG);
        assertThat(audit(StoreKind.SEGMENTED_CHANNEL)
                        .endsWith(
                                AuditNode.UNANSWERED,
                                "--node",
                                NODE,
                                "--timeout",
                                "2s",
                                "--helper",
                                helper(),
                                "--helper",
                                Hanging.class.getName()))
                .contains("no-answer helper 2 (" + Hanging.class.getName() + "): it gave no answer in time")
                .contains("orphan 2: ");
    }

    @Test
    void aHelperThatHangsWhenItIsMadeIsNamedAndTheOthersAreAudited() throws IOException {
        kill(StoreKind.SEGMENTED_CHANNEL, CrashPoint.BEFORE_LOG);
        String hanging = SettleBranchTest.HangingFromTheStart.class.getName();
        assertThat(audit(StoreKind.SEGMENTED_CHANNEL)
                        .endsWith(
                                AuditNode.UNANSWERED,
                                "--node",
                                NODE,
                                "--timeout",
                                "5s",
                                "--helper",
                                hanging,
                                "--helper",
                                helper()))
                .contains("no-answer helper 1 (" + hanging + "): ", "was not made and initialised in 5 s")
                .contains("orphan 2: ");
    }

    @Test
    void anAuditWithoutAnAnswerDoesNotSayThatNothingIsInDoubt() throws IOException {
        kill(StoreKind.SEGMENTED_CHANNEL, CrashPoint.BETWEEN_COMMITS);
        assertThat(audit(StoreKind.SEGMENTED_CHANNEL)
                        .endsWith(
                                AuditNode.UNANSWERED,
                                "--node",
                                NODE,
                                "--timeout",
                                "2s",
                                "--helper",
                                Hanging.class.getName()))
                .contains("no-answer helper 1", "what the resources without an answer have is not known")
                .doesNotContain("nothing is in doubt");
    }

    /** A resource that never answers. */
    public static final class Hanging implements XAResourceRecoveryHelper {
        /** For the audit. */
        public Hanging() {}

        @Override
        public boolean initialise(String text) {
            return true;
        }

        @Override
        public XAResource[] getXAResources() throws InterruptedException {
            new CountDownLatch(1).await();
            return new XAResource[0];
        }
    }

    @Test
    void theBranchesOfAnotherNodeAreForeign() throws IOException {
        kill(StoreKind.SEGMENTED_CHANNEL, CrashPoint.BEFORE_LOG);
        ObjectStores.open(StoreKind.FILE
                        .configure(directory.resolve("other"))
                        .set(StoreOption.NODE_ID, "orders-3")
                        .build())
                .close();
        assertThat(child(
                                AuditNode.class,
                                StoreKind.FILE,
                                "tallystick.directory",
                                directory.resolve("other").toString())
                        .endsWith(AuditNode.SETTLED, "--node", "orders-3", "--helper", helper()))
                .contains("foreign 1: ", "node=" + NODE + " branches=2");
    }

    @Test
    void aLivingNodeOnAJournalIsAuditedAndGoesOn() throws IOException {
        kill(StoreKind.SEGMENTED_CHANNEL, CrashPoint.BETWEEN_COMMITS);
        try (ObjectStore home = open(StoreKind.SEGMENTED_CHANNEL)) {
            assertThat(audit(StoreKind.SEGMENTED_CHANNEL).endsWith(AuditNode.IN_DOUBT, arguments()))
                    .contains("owner=pid=", "decided 1: ");
            assertThat(home.failure()).isEmpty();
        }
    }

    @Test
    void aFileStoreInUseCannotBeRead() throws IOException {
        kill(StoreKind.FILE, CrashPoint.BETWEEN_COMMITS);
        try (ObjectStore home = open(StoreKind.FILE)) {
            assertThat(audit(StoreKind.FILE).endsWith(AuditNode.IN_USE, arguments()))
                    .contains("TALLY0425 status 7");
            assertThat(home.failure()).isEmpty();
        }
    }

    @Test
    void theLogOfAnotherNodeAndWrongArgumentsAreRefused() throws IOException {
        kill(StoreKind.SEGMENTED_CHANNEL, CrashPoint.BEFORE_LOG);
        assertThat(audit(StoreKind.SEGMENTED_CHANNEL)
                        .endsWith(AuditNode.MISUSED, "--node", "orders-3", "--helper", helper()))
                .contains("belongs to node=" + NODE);
        assertThat(audit(StoreKind.SEGMENTED_CHANNEL).endsWith(AuditNode.MISUSED, "--nodes", NODE))
                .contains("usage: AuditNode --node ID");
        assertThat(child(
                                AuditNode.class,
                                StoreKind.FILE,
                                "tallystick.directory",
                                directory.resolve("none").toString())
                        .endsWith(AuditNode.UNREADABLE, arguments()))
                .contains("TALLY0425 status 3");
    }

    /** Whatever --node says, the branches of that node would be called orphans. */
    @Test
    void aLogThatNamesNoNodeIsRefused() throws IOException {
        kill(StoreKind.SEGMENTED_CHANNEL, CrashPoint.BEFORE_LOG);
        Path nameless = directory.resolve("nameless");
        ObjectStores.open(StoreKind.SEGMENTED_CHANNEL.configure(nameless).build())
                .close();
        for (Class<?> command : List.of(AuditNode.class, RecoverNode.class)) {
            boolean isAudit = command == AuditNode.class;
            assertThat(child(command, StoreKind.SEGMENTED_CHANNEL, "tallystick.directory", nameless.toString())
                            .endsWith(isAudit ? AuditNode.MISUSED : RecoverNode.UNUSABLE, arguments()))
                    .contains(
                            "holds no store of node=" + NODE + " that could be " + (isAudit ? "audited" : "adopted"),
                            "tallystick.node does not name this node. Mount the volume of the node",
                            "start the node itself on it");
        }
        Files.writeString(nameless.resolve("tallystick.node"), "damaged");
        assertThat(child(AuditNode.class, StoreKind.SEGMENTED_CHANNEL, "tallystick.directory", nameless.toString())
                        .endsWith(AuditNode.MISUSED, arguments()))
                .contains("tallystick.node cannot be read");
    }

    private KilledNode node() {
        return new KilledNode(directory, NODE);
    }

    private void kill(StoreKind kind, CrashPoint point) {
        node().kill(kind.settings(), point);
    }

    private ChildJvm audit(StoreKind kind) {
        return child(AuditNode.class, kind);
    }

    private ChildJvm child(Class<?> program, StoreKind kind, String... more) {
        return node().program(program, kind.settings(), more);
    }

    private String[] arguments() {
        return new String[] {"--node", NODE, "--timeout", "90s", "--helper", helper()};
    }

    private String helper() {
        return FileResourceRecovery.class.getName() + "=" + resources();
    }

    private Path resources() {
        return node().resources();
    }

    private ObjectStore open(StoreKind kind) {
        StoreConfiguration.Builder builder = kind.configure(directory.resolve("store"));
        return ObjectStores.open(builder.set(StoreOption.NODE_ID, NODE).build());
    }

    /** Every file of the store and of the resources, with its bytes. */
    private Map<String, String> content() throws IOException {
        Map<String, String> content = new TreeMap<>();
        for (Path root : List.of(directory.resolve("store"), resources())) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    content.put(file.toString(), new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
                }
            }
        }
        return content;
    }
}
