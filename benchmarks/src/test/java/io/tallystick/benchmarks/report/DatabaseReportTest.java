package io.tallystick.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseReportTest {
    private static final Offset<Double> TINY = within(1e-9);

    @TempDir
    private Path directory;

    private Samples samples() {
        return new Samples()
                .statements("postgresql-standby", 800, 1, 1_600)
                .statements("postgresql-standby", 80_000, 1, 570)
                .statements("postgresql-standby", 800, 2, 2_500)
                .statements("postgresql-standby", 80_000, 2, 1_000)
                .statements("postgresql", 800, 1, 9_999)
                .statements("postgresql", 80_000, 1, 9_999);
    }

    @Test
    void oneThreadIsComparedWithOneClientOnTheSameServers() throws IOException {
        assertThat(shareOf(1, Map.of(Metric.FORCES, 1.0), 1_200)).isEqualTo(0.75, TINY);
    }

    @Test
    void aBatchOfManyCommitsIsComparedWithAsManyBytes() throws IOException {
        assertThat(shareOf(100, Map.of(Metric.FORCES, 0.01), 50_000)).isEqualTo(0.5, TINY);
        // Half of the way from 800 to 80,000 bytes: half of the way from 400 us to 1,000 us.
        assertThat(shareOf(100, Map.of(Metric.FORCES, 800 / 40_400.0), 40_400)).isEqualTo(800 * 700e-6, TINY);
    }

    @Test
    void aBatchLargerThanMeasuredCountsAsTheLargest() throws IOException {
        assertThat(shareOf(400, Map.of(Metric.FORCES, 0.005), 100_000)).isEqualTo(0.5, TINY);
    }

    @Test
    void aStoreWithoutBatchesWritesAStatementForEachTransaction() throws IOException {
        Results results = samples()
                .inDatabase("narayana-jdbc-standby", 16, 0, Map.of(), 250)
                .read(directory);

        assertThat(new DatabaseReport(results)
                        .shareOfStatement(new Cell.InDatabase("narayana-jdbc-standby", 16, 0))
                        .orElseThrow())
                .isEqualTo(0.1, TINY);
    }

    @Test
    void longerRoundTripsAreNotComparedWithShorterOnes() throws IOException {
        Results results = samples()
                .inDatabase("postgresql-standby", 1, 5, Map.of(Metric.FORCES, 1.0), 100)
                .read(directory);

        assertThat(new DatabaseReport(results).shareOfStatement(new Cell.InDatabase("postgresql-standby", 1, 5)))
                .isEmpty();
    }

    @Test
    void narayanasStoreOnTheSameServersIsTheMeasure() throws IOException {
        Results results = new Samples()
                .inDatabase("postgresql", 16, 0, Map.of(), 9_000)
                .inDatabase("postgresql-standby", 16, 0, Map.of(), 6_000)
                .inDatabase("narayana-jdbc", 16, 0, Map.of(), 3_000)
                .inDatabase("narayana-jdbc-standby", 16, 0, Map.of(), 1_000)
                .inDatabase("postgresql-standby", 16, 5, Map.of(), 500)
                .read(directory);
        Table table = new DatabaseReport(results).detailsTable(16);

        assertThat(table.titles().get(3)).isEqualTo("x JDBCStore");
        assertThat(table.cells())
                .extracting(row -> row.get(0), row -> row.get(3))
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("postgresql", "3.00x"),
                        org.assertj.core.groups.Tuple.tuple("postgresql-standby", "6.00x"),
                        org.assertj.core.groups.Tuple.tuple("narayana-jdbc", "-"),
                        org.assertj.core.groups.Tuple.tuple("narayana-jdbc-standby", "-"),
                        org.assertj.core.groups.Tuple.tuple("postgresql-standby +5 ms", "-"));
    }

    @Test
    void theStandardComparisonDoesNotKnowThem() throws IOException {
        Results results = new Samples()
                .transactions("narayana-file", "2PC", 16, 1_000)
                .inDatabase("narayana-jdbc", 16, 0, Map.of(), 90_000)
                .inDatabase("postgresql", 16, 0, Map.of(), 100_000)
                .takeover("postgresql", 11_000)
                .read(directory);

        assertThat(new Limits(results).bestDurablePeer(Protocol.TWO_PHASE, 16))
                .hasValue(new Cell.Transactions("narayana-file", Protocol.TWO_PHASE, 16));
        assertThat(new DatabaseReport(results).takeoverTable().orElseThrow().cells())
                .containsExactly(List.of("postgresql", "11.0 s", "11.0 s .. 11.0 s"));
    }

    @Test
    void aRunWithoutDatabasesHasNoTable() throws IOException {
        Results results = new Samples().transactions("inmemory", "2PC", 1, 1).read(directory);

        assertThat(new DatabaseReport(results).isEmpty()).isTrue();
    }

    private double shareOf(int threads, Map<Metric, Double> metrics, double perSecond) throws IOException {
        Results results = samples()
                .inDatabase("postgresql-standby", threads, 0, metrics, perSecond)
                .read(directory);
        return new DatabaseReport(results)
                .shareOfStatement(new Cell.InDatabase("postgresql-standby", threads, 0))
                .orElseThrow();
    }
}
