package io.tallystick.quarkus.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import com.arjuna.ats.internal.arjuna.objectstore.ShadowNoFileLockStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that must not succeed ends the process, and its output says why and what to do. */
class RefusalsTest {
    @TempDir
    private Path directory;

    @Test
    void aDirectoryThatCannotBeUsed() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        assertThat(outputOfARefusedStart("-Dquarkus.tallystick.directory=" + file))
                .contains(
                        "TALLY0010",
                        "is not a directory; configure the path of a directory",
                        "quarkus.transaction-manager.object-store.directory",
                        "have one resource each",
                        "quarkus.tallystick.store=inmemory");
    }

    @Test
    void anUnknownKey() throws Exception {
        assertThat(outputOfARefusedStart("-Dquarkus.tallystick.direcory=" + directory.resolve("tx")))
                .contains("TALLY0706", "did you mean 'quarkus.tallystick.directory'?");
    }

    @Test
    void aBadValue() throws Exception {
        assertThat(outputOfARefusedStart("-Dquarkus.tallystick.journal.io=drect"))
                .contains("TALLY0706", "quarkus.tallystick.journal.io", "direct");
    }

    @Test
    void twoDirectories() throws Exception {
        assertThat(outputOfARefusedStart(
                        "-Dtallystick.directory=" + directory.resolve("a"),
                        "-Dquarkus.tallystick.directory=" + directory.resolve("b")))
                .contains("TALLY0706", "remove the one that is wrong");
        assertThat(directory.resolve("a")).doesNotExist();
        assertThat(directory.resolve("b")).doesNotExist();
    }

    @Test
    void aStoreThatIsNotOnTheClassPath() throws Exception {
        assertThat(outputOfARefusedStart("-Dquarkus.tallystick.store=inmemory"))
                .contains("TALLY0706", "add the artifact tallystick-store-inmemory", "quarkus.tallystick.store");
    }

    @Test
    void aLogInADatabaseThatIsChosenAfterTheBuild() throws Exception {
        assertThat(outputOfARefusedStart("-Dquarkus.transaction-manager.object-store.type=jdbc"))
                .contains("TALLY0707", "remove the dependency tallystick-quarkus");
    }

    @Test
    void anOldLogWithATransaction() throws Exception {
        ObjectStoreEnvironmentBean bean = new ObjectStoreEnvironmentBean();
        bean.setObjectStoreDir(directory.resolve("log").toString());
        OutputObjectState record = new OutputObjectState();
        record.packString("a decision");
        new ShadowNoFileLockStore(bean)
                .write_committed(new Uid(), "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction", record);

        assertThat(outputOfARefusedStart())
                .contains(
                        "TALLY0412",
                        "tallystick migrate",
                        directory.resolve("log").toString(),
                        "quarkus.tallystick.on-old-log");
        try (Application warned = Application.start(directory, "-Dquarkus.tallystick.on-old-log=warn")) {
            assertThat(warned.toString()).contains("TALLY0414");
        }
    }

    @Test
    void aDirectoryOfAnotherNode() throws Exception {
        try (Application first = Application.start(directory)) {
            first.stop();
        }

        assertThat(outputOfARefusedStart("-Dquarkus.transaction-manager.node-name=other"))
                .contains("TALLY0013", "bookings", "other", "quarkus.transaction-manager.node-name");
    }

    @Test
    void aSecondApplicationOnTheDirectory() throws Exception {
        try (Application first = Application.start(directory)) {
            assertThat(outputOfARefusedStart(
                            "-Dquarkus.datasource.orders.jdbc.url=jdbc:h2:mem:orders",
                            "-Dquarkus.datasource.payments.jdbc.url=jdbc:h2:mem:payments"))
                    .contains(
                            "TALLY0015",
                            "%test.quarkus.tallystick.directory=target/tallystick-test",
                            "%test.quarkus.tallystick.journal.segment-size=4MiB");
            assertThat(first.post("book/1")).isEqualTo(204);
        }
    }

    private String outputOfARefusedStart(String... options) throws Exception {
        try (Application refused = Application.launch(directory, options)) {
            assertThat(refused.awaitEnd()).isNotZero();
            assertThat(refused.lines())
                    .as("the reason, once and without a stack")
                    .filteredOn(
                            line -> line.contains("TALLY04") || line.contains("TALLY07") || line.contains("TALLY00"))
                    .hasSize(1);
            assertThat(refused.toString()).doesNotContain("\tat io.tallystick", "TALLY0415");
            return refused.toString();
        }
    }
}
