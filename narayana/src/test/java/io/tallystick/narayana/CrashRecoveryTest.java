package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Transactions over two resources in processes that die, and Narayana's recovery in a later process: both resources
 * have committed or both have rolled back, as the log says, and the log is empty.
 */
@Tag("long")
class CrashRecoveryTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @MethodSource("io.tallystick.narayana.StoreKind#plainAndDurable")
    void resourcesAgreeAfterACrashAtEveryPoint(StoreKind kind) throws IOException {
        Map<String, String> properties = properties(kind.settings());
        crash(properties, CrashPoint.values());
        // Recovery dies too, and is begun again.
        ChildJvm.of(RecoveringProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(CrashingProcess.STATUS, resources().toString(), "2");
        assertThatRecoveryMakesThemAgree(properties, CrashPoint.values());
    }

    @ParameterizedTest
    @MethodSource("io.tallystick.narayana.StoreKind#otherDurable")
    void resourcesAgreeWhicheverWayTheBytesReachTheDisk(StoreKind kind) throws IOException {
        kind.assumeAvailable(directory);
        Map<String, String> properties = properties(kind.settings());
        crash(properties, CrashPoint.BEFORE_LOG, CrashPoint.BETWEEN_COMMITS);
        assertThatRecoveryMakesThemAgree(properties, CrashPoint.BEFORE_LOG, CrashPoint.BETWEEN_COMMITS);
    }

    /**
     * Shows that the claims above can be found false: a store that forgets the decision leaves the resources divided.
     */
    @Test
    void aStoreThatForgetsLeavesTheResourcesDivided() throws IOException {
        Map<String, String> properties = properties(StoreKind.INMEMORY.settings());
        crash(properties, CrashPoint.BETWEEN_COMMITS);
        recover(properties);
        Path ofPoint = resources().resolve(CrashPoint.BETWEEN_COMMITS.name());
        assertThat(FileResource.transactions(ofPoint.resolve("a"), "committed")).hasSize(1);
        assertThat(FileResource.transactions(ofPoint.resolve("b"), "rolledback"))
                .hasSize(1);
    }

    private void crash(Map<String, String> properties, CrashPoint... points) {
        for (CrashPoint point : points) {
            ChildJvm.of(CrashingProcess.class)
                    .in(directory)
                    .withProperties(properties)
                    .endsWith(
                            CrashingProcess.STATUS,
                            point.event(),
                            String.valueOf(point.times()),
                            resources().resolve(point.name()).toString());
        }
    }

    private void assertThatRecoveryMakesThemAgree(Map<String, String> properties, CrashPoint... points)
            throws IOException {
        String printed = recover(properties);
        assertThat(printed).contains(RecoveringProcess.LEFT + 0);
        for (CrashPoint point : points) {
            Path ofPoint = resources().resolve(point.name());
            assertThat(outcomes(ofPoint.resolve("b")))
                    .as(point + "\n" + printed)
                    .isEqualTo(outcomes(ofPoint.resolve("a")));
            assertThat(FileResource.transactions(ofPoint.resolve("a"), "committed"))
                    .as(point + "\n" + printed)
                    .hasSize(point.commits() ? 1 : 0);
            assertThat(FileResource.transactions(ofPoint.resolve("a"), "prepared"))
                    .as(point + "\n" + printed)
                    .isEmpty();
        }
    }

    private String recover(Map<String, String> properties) {
        return ChildJvm.of(RecoveringProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(0, resources().toString());
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
