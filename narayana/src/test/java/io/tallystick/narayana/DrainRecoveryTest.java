package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A drain with Narayana's recovery, where a resource holds a prepared branch and the log has no record of it. */
@Tag("long")
class DrainRecoveryTest {
    @TempDir
    private Path directory;

    private Map<String, String> properties;

    @BeforeEach
    void dieBetweenPrepareAndTheRecord() throws IOException {
        properties = NarayanaProcess.properties(StoreKind.FILE.settings(), directory.resolve("store"));
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "3000");
        ChildJvm.of(CrashingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(
                        CrashingProcess.STATUS,
                        CrashPoint.BEFORE_LOG.event(),
                        String.valueOf(CrashPoint.BEFORE_LOG.times()),
                        transaction().toString());
        assertThat(FileResource.transactions(transaction().resolve("a"), "prepared"))
                .hasSize(1);
    }

    @Test
    void drainedMeansThatTheBranchIsRolledBack() throws IOException {
        assertThat(drain(100)).contains(DrainedProcess.REPORT + "drained ");
        assertThat(FileResource.transactions(transaction().resolve("a"), "prepared"))
                .isEmpty();
        assertThat(FileResource.transactions(transaction().resolve("a"), "rolledback"))
                .hasSize(1);
    }

    @Test
    void withTooLittleTimeItIsUnprovenThoughTheLogIsEmpty() throws IOException {
        assertThat(drain(0)).contains(DrainedProcess.REPORT + "unproven: keep the volume");
        assertThat(FileResource.transactions(transaction().resolve("a"), "prepared"))
                .hasSize(1);
    }

    @Test
    void aNodeThatRecoveryDoesNotNameIsUnproven() {
        properties.put("CoreEnvironmentBean.nodeIdentifier", "2");
        assertThat(drain(12))
                .contains(DrainedProcess.REPORT + "unproven: keep the volume")
                .contains("xaRecoveryNodes=[1]");
    }

    @Test
    void aSuspendedRecoveryDoesNotHoldTheDrainBeyondItsTime() {
        assertThat(drain(3, "suspended"))
                .contains(DrainedProcess.REPORT + "unproven: keep the volume")
                .contains("the first scan of recovery has not ended");
    }

    private String drain(int seconds, String... more) {
        List<String> arguments = new ArrayList<>(List.of(transaction().toString(), String.valueOf(seconds)));
        arguments.addAll(List.of(more));
        return ChildJvm.of(DrainedProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(0, arguments.toArray(String[]::new));
    }

    private Path transaction() {
        return directory.resolve("resources").resolve("transaction");
    }
}
