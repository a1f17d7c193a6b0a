package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Transactions over two resources in processes that die, and Narayana's recovery in a later process: both resources have
 * committed or both have rolled back, as the log says, and the log is empty.
 */
class CrashRecoveryTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @MethodSource("io.tallystick.narayana.StoreKind#durable")
    void resourcesAgreeAfterACrashAtEveryPoint(StoreKind kind) throws IOException {
        Map<String, String> properties = properties(kind.settings());
        for (CrashPoint point : CrashPoint.values()) {
            crash(point, properties);
        }
        // Recovery dies too, and is begun again.
        ChildJvm.run(
                directory,
                CrashingProcess.STATUS,
                properties,
                RecoveringProcess.class,
                resources().toString(),
                "2");
        String printed = recover(properties);
        assertThat(printed).contains(RecoveringProcess.LEFT + 0);
        for (CrashPoint point : CrashPoint.values()) {
            Path ofPoint = resources().resolve(point.name());
            assertThat(outcomes(ofPoint.resolve("b")))
                    .as(point + "\n" + printed)
                    .isEqualTo(outcomes(ofPoint.resolve("a")));
            assertThat(FileResource.transactions(ofPoint.resolve("a"), "committed"))
                    .as(point + "\n" + printed)
                    .hasSize(point.commits() ? 1 : 0);
        }
    }

    /** Shows that the claim above can be found false: a store that forgets the decision leaves the resources divided. */
    @Test
    void aStoreThatForgetsLeavesTheResourcesDivided() throws IOException {
        Map<String, String> properties = properties(StoreKind.INMEMORY.settings());
        crash(CrashPoint.BETWEEN_COMMITS, properties);
        recover(properties);
        Path ofPoint = resources().resolve(CrashPoint.BETWEEN_COMMITS.name());
        assertThat(FileResource.transactions(ofPoint.resolve("a"), "committed")).hasSize(1);
        assertThat(FileResource.transactions(ofPoint.resolve("b"), "rolledback"))
                .hasSize(1);
    }

    private void crash(CrashPoint point, Map<String, String> properties) {
        ChildJvm.run(
                directory,
                CrashingProcess.STATUS,
                properties,
                CrashingProcess.class,
                point.event(),
                String.valueOf(point.times()),
                resources().resolve(point.name()).toString());
    }

    private String recover(Map<String, String> properties) {
        return ChildJvm.run(
                directory, 0, properties, RecoveringProcess.class, resources().toString());
    }

    private Path resources() {
        return directory.resolve("resources");
    }

    /** The transactions that the resource knows, and how each stands; one that it never prepared is rolled back. */
    private static Set<String> outcomes(Path resource) throws IOException {
        Set<String> outcomes = new TreeSet<>();
        if (Files.exists(resource)) {
            FileResource.transactions(resource, "committed")
                    .forEach(transaction -> outcomes.add("committed " + transaction));
            FileResource.transactions(resource, "prepared")
                    .forEach(transaction -> outcomes.add("in doubt " + transaction));
        }
        return outcomes;
    }

    private Map<String, String> properties(Map<String, String> ofStore) {
        return NarayanaProcess.properties(ofStore, directory.resolve("store"));
    }
}
