package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.recover.DataSourceRecovery;
import io.tallystick.storage.ChildJvm;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A node that is killed in the middle of its transactions, and a process that recovers it from its directory. */
@Timeout(240)
class RecoverNodeTest {
    private static final String NODE = "orders-2";
    private static final String STATUS_MANAGERS = "/Recovery/TransactionStatusManager";

    @TempDir
    private Path directory;

    @Test
    void theTransactionsOfADeadNodeAreFinishedAndItsStatusManagersForgotten() throws IOException {
        Map<String, String> settings = StoreKind.SEGMENTED_CHANNEL.settings();
        kill(settings, CrashPoint.BETWEEN_COMMITS);
        kill(settings, CrashPoint.BEFORE_LOG);
        try (ObjectStore store = open(settings, Duration.ofSeconds(1), NODE)) {
            assertThat(store.keys(TallystickDrain.ACTIONS + "/TwoPhaseCoordinator/AtomicAction"))
                    .hasSize(1);
            assertThat(store.keys(STATUS_MANAGERS)).isNotEmpty();
        }
        String printed = recover(settings).endsWith(RecoverNode.RECOVERED, arguments());
        assertThat(printed)
                .contains("TALLY0421 status 0: node " + NODE + " is recovered: drained")
                .doesNotContain("TALLY0403", "Exception"); // no alarm after a success
        assertFinished(CrashPoint.BETWEEN_COMMITS);
        assertFinished(CrashPoint.BEFORE_LOG);
        try (ObjectStore store = open(settings, Duration.ofSeconds(1), NODE)) {
            assertThat(store.types()).isEmpty();
        }
    }

    @Test
    void theNodeThatComesBackGetsItsDirectoryAndTheAdopterLeaves() throws Exception {
        Map<String, String> settings = StoreKind.SEGMENTED_CHANNEL.settings();
        kill(settings, CrashPoint.BETWEEN_COMMITS);
        CompletableFuture<String> adopter =
                CompletableFuture.supplyAsync(() -> recover(settings, RecoveringProcess.SECOND_IS_DOWN, "true")
                        .endsWith(RecoverNode.NODE_IS_BACK, arguments()));
        awaitAdopter();
        assertThatThrownBy(() -> open(settings, Duration.ofSeconds(60), "orders-3"))
                .hasMessageContaining("belongs to node=" + NODE);
        try (ObjectStore home = open(settings, Duration.ofSeconds(60), NODE)) {
            assertThat(home.keys(TallystickDrain.ACTIONS + "/TwoPhaseCoordinator/AtomicAction"))
                    .hasSize(1);
            assertThat(adopter.get(60, TimeUnit.SECONDS))
                    .contains("TALLY0421 status 6: node " + NODE + " came back and asked for its log");
        }
    }

    /** Narayana would roll it back: its orphan filter does not look for the records that it has given up. */
    @Test
    void aBranchIsNotRolledBackWhoseRecordWasGivenUp() throws IOException {
        Map<String, String> settings = StoreKind.FILE.settings();
        kill(settings, CrashPoint.BETWEEN_COMMITS);
        try (ObjectStore store = open(settings, Duration.ofSeconds(1), NODE)) {
            StateKey record = action(store);
            store.write(
                    StateKey.of(record.type() + "/Expired", record.id()),
                    store.read(record).orElseThrow(),
                    Durability.FORCED);
            store.remove(record, Durability.FORCED);
        }
        assertThat(recover(settings).endsWith(RecoverNode.UNPROVEN, argumentsFor("5s")))
                .contains("TALLY0421 status 5", "was given up with decision=commit, and may have decided to commit it");
        assertHalfCommitted();
    }

    /** What 'tallystick forget' keeps aside. */
    @Test
    void aBranchIsNotRolledBackWhoseRecordWasForgotten() throws IOException {
        Map<String, String> settings = StoreKind.FILE.settings();
        kill(settings, CrashPoint.BETWEEN_COMMITS);
        Path quarantine = directory.resolve("store").resolve("tallystick.quarantine");
        try (ObjectStore store = open(settings, Duration.ofSeconds(1), NODE)) {
            StateKey record = action(store);
            Files.createDirectories(quarantine);
            Files.writeString(
                    quarantine.resolve("2026-11-27T03-12-45Z-forget-"
                            + NarayanaUid.text(record.id()).replace(':', '_') + ".jsonl"),
                    "{}");
            store.remove(record, Durability.FORCED);
        }
        assertThat(recover(settings).endsWith(RecoverNode.UNPROVEN, argumentsFor("5s")))
                .contains("TALLY0421 status 5", "was forgotten by hand, says ", "may have decided to commit it");
        assertHalfCommitted();
    }

    @Test
    void onceScansOnceAndProvesNothing() throws IOException {
        Map<String, String> settings = StoreKind.FILE.settings();
        kill(settings, CrashPoint.BETWEEN_COMMITS);
        List<String> once = new ArrayList<>(List.of(arguments()));
        once.add("--once");

        assertThat(recover(settings, RecoveringProcess.SECOND_IS_DOWN, "true")
                        .endsWith(RecoverNode.NOT_DRAINED, once.toArray(String[]::new)))
                .contains("TALLY0421 status 4: node " + NODE + " was scanned once", "pendingActions=1");
        assertHalfCommitted();

        assertThat(recover(settings).endsWith(RecoverNode.UNPROVEN, once.toArray(String[]::new)))
                .contains("TALLY0421 status 5: node " + NODE + " was scanned once, and the scan was complete")
                .contains("pendingActions=0");
        assertFinished(CrashPoint.BETWEEN_COMMITS);
    }

    private static StateKey action(ObjectStore store) {
        return store.keys(TallystickDrain.ACTIONS + "/TwoPhaseCoordinator/AtomicAction")
                .get(0);
    }

    private void assertHalfCommitted() throws IOException {
        Path transaction = resources().resolve(CrashPoint.BETWEEN_COMMITS.name());
        assertThat(FileResource.transactions(transaction.resolve("a"), "committed"))
                .hasSize(1);
        assertThat(FileResource.transactions(transaction.resolve("b"), "prepared"))
                .hasSize(1);
    }

    @Test
    void aLivingNodeIsNotAdopted() throws IOException {
        Map<String, String> settings = StoreKind.SEGMENTED_CHANNEL.settings();
        try (ObjectStore home = open(settings, Duration.ofSeconds(1), NODE)) {
            Files.createDirectories(resources());
            assertThat(recover(settings).endsWith(RecoverNode.OWNER_LIVES, arguments()))
                    .contains("TALLY0421 status 7: node " + NODE)
                    .contains("pid=" + ProcessHandle.current().pid());
            assertThat(home.failure()).isEmpty();
        }
    }

    @Test
    void wrongArgumentsAreToldByTheStatus() {
        for (List<String> wrong : List.of(
                List.<String>of(),
                List.of("--node"),
                List.of("--node", NODE, "--node", NODE),
                List.of("--node", NODE, "--timeout", "soon"),
                List.of("--node", NODE, "--timeout", "0"),
                List.of("--nodes", NODE))) {
            assertThat(RecoverNode.run(wrong.toArray(String[]::new)))
                    .as(wrong.toString())
                    .isEqualTo(RecoverNode.MISUSED);
        }
    }

    /** Status 1 would be java's own. */
    @Test
    void aHelperThatThrowsAndABadSettingOfNarayanaAreToldByTheStatus() throws IOException {
        Map<String, String> settings = StoreKind.SEGMENTED_CHANNEL.settings();
        assertThat(recover(settings)
                        .endsWith(RecoverNode.MISUSED, "--node", NODE, "--helper", Throwing.class.getName()))
                .contains("TALLY0421 status 2", "--helper " + Throwing.class.getName(), "no such place");
        Files.createDirectories(resources());
        assertThat(recover(settings, "JTAEnvironmentBean.orphanSafetyInterval", "soon")
                        .endsWith(RecoverNode.UNUSABLE, arguments()))
                .contains("TALLY0421 status 3", "soon");
    }

    @Test
    @Tag("long")
    void aResourceThatCannotBeReachedIsNoProofThoughTheLogIsEmpty() throws IOException {
        Map<String, String> settings = StoreKind.SEGMENTED_CHANNEL.settings();
        kill(settings, CrashPoint.BEFORE_LOG);
        assertThat(recover(settings)
                        .endsWith(
                                RecoverNode.UNPROVEN,
                                "--node",
                                NODE,
                                "--timeout",
                                "9s",
                                "--helper",
                                Unreachable.class.getName()))
                .contains("TALLY0421 status 5", "XARecoveryModule has a problem");
        recover(settings).endsWith(RecoverNode.RECOVERED, arguments());
        assertFinished(CrashPoint.BEFORE_LOG);
    }

    /** A helper of a resource that is down. */
    public static final class Unreachable implements XAResourceRecoveryHelper {
        /** For {@link RecoverNode}. */
        public Unreachable() {}

        @Override
        public boolean initialise(String text) {
            return true;
        }

        @Override
        public XAResource[] getXAResources() {
            throw new IllegalStateException("connection refused");
        }
    }

    /** A helper that fails as programs fail. */
    public static final class Throwing implements XAResourceRecoveryHelper {
        /** For {@link RecoverNode}. */
        public Throwing() {}

        @Override
        public boolean initialise(String text) {
            throw new IllegalStateException("no such place");
        }

        @Override
        public XAResource[] getXAResources() {
            return new XAResource[0];
        }
    }

    @Test
    void whatWouldForgetADecisionIsRefused() throws IOException {
        String[] assuming = {"JTAEnvironmentBean.xaAssumeRecoveryComplete", "true"};

        assertThat(recover(StoreKind.SEGMENTED_CHANNEL.settings(), assuming).endsWith(RecoverNode.MISUSED, arguments()))
                .contains("TALLY0421 status 2", "xaAssumeRecoveryComplete=true", "Leave it out");
        assertThat(directory.resolve("store")).doesNotExist();
    }

    @Test
    @Tag("long")
    void whatCannotBeUsedIsToldByTheStatus() throws IOException {
        Map<String, String> settings = StoreKind.SEGMENTED_CHANNEL.settings();
        assertThat(recover(settings).endsWith(RecoverNode.MISUSED, "--node", NODE))
                .contains("no resource is named");
        assertThat(recover(settings).endsWith(RecoverNode.MISUSED, "--node", NODE, "--helper", "com.acme.None"))
                .contains("com.acme.None");
        assertThat(recover(settings).endsWith(RecoverNode.MISUSED, arguments())).contains("its initialise() says no");
        Files.createDirectories(resources());
        assertThat(recover(settings).endsWith(RecoverNode.UNUSABLE, arguments()))
                .contains("TALLY0010")
                .contains("a store is expected there");
        assertThat(recover(settings, "tallystick.node-id", "orders-3").endsWith(RecoverNode.MISUSED, arguments()))
                .contains("tallystick.node-id=orders-3 is not --node orders-2");
        open(settings, Duration.ofSeconds(1), "orders-3").close();
        assertThat(recover(settings).endsWith(RecoverNode.UNUSABLE, arguments()))
                .contains("belongs to node=orders-3");
        String[] tooLong = {"--node", "n".repeat(29), "--helper", helper()};
        assertThat(recover(settings).endsWith(RecoverNode.MISUSED, tooLong)).contains("has 29 bytes");
    }

    @Test
    @Tag("long")
    void aResourceThatIsDownIsToldByTheStatus() throws IOException {
        Map<String, String> settings = StoreKind.FILE.settings();
        kill(settings, CrashPoint.BETWEEN_COMMITS);
        assertThat(recover(settings, RecoveringProcess.SECOND_IS_DOWN, "true")
                        .endsWith(RecoverNode.NOT_DRAINED, argumentsFor("3s")))
                .contains("TALLY0421 status 4", "no further run ends it");
        assertThat(recover(settings, "JTAEnvironmentBean.orphanSafetyInterval", "600000")
                        .endsWith(RecoverNode.UNPROVEN, argumentsFor("4s")))
                .contains("TALLY0421 status 5");
        assertFinished(CrashPoint.BETWEEN_COMMITS);
    }

    @ParameterizedTest
    @Tag("long")
    @MethodSource("io.tallystick.narayana.StoreKind#plainAndDurable")
    void aKilledAdopterIsFollowedByAnother(StoreKind kind) throws Exception {
        Map<String, String> settings = kind.settings();
        for (CrashPoint point : CrashPoint.values()) {
            kill(settings, point);
        }
        recover(settings, FileResourceRecovery.DIES_BEFORE_COMMIT, "2").endsWith(CrashingProcess.STATUS, arguments());
        recover(settings, FileResourceRecovery.DIES_BEFORE_COMMIT, "1").endsWith(CrashingProcess.STATUS, arguments());
        recover(settings).endsWith(RecoverNode.RECOVERED, arguments());
        for (CrashPoint point : CrashPoint.values()) {
            assertFinished(point);
        }
        open(settings, Duration.ofSeconds(1), NODE).close();
    }

    @Test
    @Tag("long")
    void anotherAdopterIsRefusedAndAKilledOneLeavesNothingInTheWay() throws Exception {
        Map<String, String> settings = StoreKind.FILE.settings();
        kill(settings, CrashPoint.BETWEEN_COMMITS);
        try (ChildJvm.Running adopter =
                recover(settings, RecoveringProcess.SECOND_IS_DOWN, "true").start(arguments())) {
            awaitAdopter();
            assertThat(recover(settings).endsWith(RecoverNode.OWNER_LIVES, arguments()))
                    .contains("role=adopter");
            adopter.kill();
        }
        long begun = System.nanoTime();
        open(settings, Duration.ofMinutes(5), NODE).close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMinutes(1));
        recover(settings).endsWith(RecoverNode.RECOVERED, arguments());
        assertFinished(CrashPoint.BETWEEN_COMMITS);
    }

    @Test
    void theCommandOfTheJobInTheDocumentsRecoversANode() throws Exception {
        kill(StoreKind.SEGMENTED_CHANNEL.settings(), CrashPoint.BETWEEN_COMMITS);
        String page = Files.readString(Path.of("..", "docs", "kubernetes.md"));
        String list = page.substring(page.indexOf("command:", page.indexOf("kind: Job")));
        List<String> command = list.substring(0, list.indexOf("volumeMounts"))
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("- "))
                .map(line -> line.substring(2))
                .toList();
        List<String> arguments = new ArrayList<>(command.subList(5, command.size()));
        assertThat(command.subList(0, 5))
                .containsExactly(
                        "java",
                        "-cp",
                        "/app/lib/*",
                        "-Dtallystick.directory=/var/lib/tx/store",
                        RecoverNode.class.getName());
        arguments.replaceAll(argument -> argument.replaceFirst(
                DataSourceRecovery.class.getName() + "=/etc/recover/.*properties", Matcher.quoteReplacement(helper())));

        assertThat(recover(Map.of()).endsWith(RecoverNode.RECOVERED, arguments.toArray(String[]::new)))
                .contains("TALLY0421 status 0: node orders-2 is recovered");
        assertFinished(CrashPoint.BETWEEN_COMMITS);
    }

    private KilledNode node() {
        return new KilledNode(directory, NODE);
    }

    private void kill(Map<String, String> ofStore, CrashPoint point) {
        node().kill(ofStore, point);
    }

    private ChildJvm recover(Map<String, String> ofStore, String... more) {
        return node().program(RecoverNode.class, ofStore, more);
    }

    private String[] arguments() {
        return argumentsFor("90s");
    }

    private String[] argumentsFor(String timeout) {
        return new String[] {"--node", NODE, "--timeout", timeout, "--helper", helper()};
    }

    private String helper() {
        return FileResourceRecovery.class.getName() + "=" + resources();
    }

    private void awaitAdopter() throws IOException {
        SystemDisk disk = new SystemDisk();
        while (StoreGlance.at(disk, directory.resolve("store"))
                .flatMap(StoreGlance::holder)
                .filter(owner -> owner.contains("role=adopter"))
                .isEmpty()) {
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }

    private ObjectStore open(Map<String, String> ofStore, Duration patience, String node) {
        StoreConfiguration.Builder builder = StoreConfiguration.builder();
        ofStore.forEach(builder::set);
        return ObjectStores.open(builder.directory(directory.resolve("store"))
                .set(StoreOption.NODE_ID, node)
                .set(StoreOption.PATIENCE, patience)
                .build());
    }

    private void assertFinished(CrashPoint point) throws IOException {
        Path transaction = resources().resolve(point.name());
        for (String resource : List.of("a", "b")) {
            Path own = transaction.resolve(resource);
            assertThat(FileResource.transactions(own, "prepared"))
                    .as(point + resource)
                    .isEmpty();
            assertThat(FileResource.transactions(own, "committed"))
                    .as(point + resource)
                    .hasSize(point.commits() ? 1 : 0);
        }
    }

    private Path resources() {
        return node().resources();
    }
}
