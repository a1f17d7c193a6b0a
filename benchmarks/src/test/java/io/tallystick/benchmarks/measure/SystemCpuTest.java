package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SystemCpuTest {
    private static final List<String> LINES = List.of(
            //   user nice system idle iowait irq softirq steal guest guest_nice
            "cpu  100 10 50 9999 888 5 3 2 100 10", "cpu0 1 1 1 1", "cpu1 1 1 1 1", "intr 12345");

    @Test
    void workIsEverythingButIdlingAndWaitingAndGuestsAreNotCountedTwice() {
        assertThat(SystemCpu.parse(LINES)).isEqualTo(new SystemCpu(TimeUnit.MILLISECONDS.toNanos(1_700), 2));
    }

    @Test
    void olderSystemsTellLess() {
        assertThat(SystemCpu.parse(List.of("cpu  100 10 50 9999", "cpu0 1")).busyNanos())
                .isEqualTo(TimeUnit.MILLISECONDS.toNanos(1_600));
    }

    @Test
    void shareOfOthersIsWithoutOurOwn() {
        SystemCpu earlier = new SystemCpu(1_000, 2);
        SystemCpu later = new SystemCpu(2_200, 2);

        assertThat(later.shareOfOthers(earlier, 1_000, 1_000)).isCloseTo(0.1, within(1e-9));
        assertThat(later.shareOfOthers(earlier, 1_000, 1_300)).isZero(); // ticks are coarse
    }
}
