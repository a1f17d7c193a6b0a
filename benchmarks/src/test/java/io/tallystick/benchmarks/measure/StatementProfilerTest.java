package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class StatementProfilerTest {
    @Test
    void reportsOfOldAndNewVersionsAreRead() {
        StatementProfiler.Run expected = new StatementProfiler.Run(9_247, 2_311.75, 5);

        assertThat(StatementProfiler.Run.of("""
                        number of transactions actually processed: 9247
                        number of failed transactions: 0 (0.000%)
                        latency average = 0.432 ms
                        tps = 2311.75 (without initial connection time)
                        """, 5)).isEqualTo(expected);
        assertThat(StatementProfiler.Run.of("""
                        number of transactions actually processed: 9247
                        tps = 2300.10 (including connections establishing)
                        tps = 2311.75 (excluding connections establishing)
                        """, 5)).isEqualTo(expected);
    }

    @Test
    void anotherTextIsNoReport() {
        assertThatThrownBy(() -> StatementProfiler.Run.of("pgbench: error", 0)).hasMessageContaining("pgbench: error");
    }
}
