package io.tallystick.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.measure.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitsTest {
    @TempDir
    private Path directory;

    @Test
    void fewThreadsAreLimitedByTheDiskAndManyByTheCores() throws IOException {
        Limits limits = new Limits(new Samples()
                .disk(DiskKind.FORCED, 1, 90, 11_000)
                .disk(DiskKind.DIRECT, 1, 40, 20_000)
                .disk(DiskKind.DIRECT, 16, 5, 60_000)
                .transactions("inmemory", "2PC", 1, Map.of(Metric.CPU, 10.0), 100_000)
                .transactions("inmemory", "2PC", 100, Map.of(Metric.CPU, 10.0), 100_000)
                .read(directory));

        // L is 40 us: the faster kind, with one writer. 1/(40+10) us; 2 cores / 10 us.
        assertThat(limits.model(1).orElseThrow()).isCloseTo(20_000, within(0.1));
        assertThat(limits.model(100).orElseThrow()).isCloseTo(200_000, within(0.1));
        assertThat(limits.model(4)).isEmpty();
    }

    @Test
    void bestPeerIsTheFastestDurableStoreOfOthersWithAsManyThreads() throws IOException {
        Limits limits = new Limits(new Samples()
                .transactions("inmemory", "2PC", 4, 900)
                .transactions("narayana-volatile", "2PC", 4, 800)
                .transactions("journal-segmented-auto", "2PC", 4, 700)
                .transactions("narayana-file", "2PC", 4, 100)
                .transactions("narayana-slots", "2PC", 4, 150)
                .transactions("narayana-journal-nio", "2PC", 16, 400)
                .read(directory));

        assertThat(limits.bestDurablePeer(Protocol.TWO_PHASE, 4))
                .contains(new Cell.Transactions("narayana-slots", Protocol.TWO_PHASE, 4));
        assertThat(limits.bestDurablePeer(Protocol.TWO_PHASE, 1)).isEmpty();
    }

    @Test
    void peersMemoryStoreStandsInWhereOursWasNotMeasured() throws IOException {
        Limits limits = new Limits(
                new Samples().transactions("narayana-volatile", "2PC", 4, 800).read(directory));

        assertThat(limits.inMemory(Protocol.TWO_PHASE, 4))
                .contains(new Cell.Transactions("narayana-volatile", Protocol.TWO_PHASE, 4));
    }
}
