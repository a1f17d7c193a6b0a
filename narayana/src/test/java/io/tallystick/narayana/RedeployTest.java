package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A web application with Narayana and this library in its own class loader is deployed again in one process. */
@Tag("long")
class RedeployTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @MethodSource("io.tallystick.narayana.StoreKind#plainAndDurable")
    void anApplicationThatStopsAsTheDocumentTellsLeavesNoThreadAndNoClassAndTheNextOneOpensItsStore(StoreKind kind)
            throws IOException {
        List<String> told = redeploy(kind, DeployedApplication.WHOLE_STOP);

        assertThat(told).noneMatch(line -> line.startsWith(RedeployingProcess.LEFT));
        assertThat(told).contains(RedeployingProcess.COLLECTED + true);
        assertThat(told)
                .filteredOn(line -> line.startsWith(RedeployingProcess.STARTED))
                .hasSize(2);
    }

    @Test
    void anApplicationThatClosesTheStoresAloneLeavesThreadsOfNarayanaAndNoneOfThisLibrary() throws IOException {
        List<String> told = redeploy(StoreKind.SEGMENTED_CHANNEL, DeployedApplication.STOP_OF_THE_STORES);

        assertThat(told)
                .filteredOn(line -> line.startsWith(RedeployingProcess.LEFT))
                .extracting(
                        line -> line.substring(RedeployingProcess.LEFT.length()).replaceAll("[ :]*[0-9]+$", ""))
                .containsExactlyInAnyOrder("Listener", "Transaction Reaper", "Transaction Reaper Worker");
        assertThat(told)
                .filteredOn(line -> line.startsWith(RedeployingProcess.STARTED))
                .hasSize(2);
    }

    @ParameterizedTest
    @MethodSource("io.tallystick.narayana.StoreKind#plainAndDurable")
    void whereTheFirstApplicationWasNotStoppedTheNextOneIsToldThatThisProcessHasTheStore(StoreKind kind)
            throws IOException {
        List<String> told = redeploy(kind, RedeployingProcess.NO_STOP);

        assertThat(told)
                .filteredOn(line -> line.startsWith(RedeployingProcess.REFUSED))
                .singleElement()
                .asString()
                .contains("TALLY0015", "an earlier application of this process", "start this process again");
    }

    private List<String> redeploy(StoreKind kind, String stop) throws IOException {
        Map<String, String> properties = new HashMap<>(kind.settings());
        properties.put("tallystick.directory", directory.resolve("store").toString());
        return ChildJvm.of(RedeployingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(0, stop)
                .lines()
                .toList();
    }
}
