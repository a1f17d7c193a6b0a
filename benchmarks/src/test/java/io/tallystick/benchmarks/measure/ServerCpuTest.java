package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ServerCpuTest {
    @Test
    void aProcessCountsWithItsChildrenThatEnded() {
        String line = "71 (postgres: wal) w) S 70 71 71 0 -1 4194304 1 2 3 4 10 20 300 4000 20 0 1 0 5 6 7";

        assertThat(ServerCpu.parse(line)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(43_300));
    }

    @Test
    void withoutServersThereIsNoTime() {
        assertThat(ServerCpu.nanos()).isZero();
    }
}
