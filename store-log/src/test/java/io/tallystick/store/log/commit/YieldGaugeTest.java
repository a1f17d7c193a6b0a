package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class YieldGaugeTest {
    private static final long QUICK = 1_000;
    private static final long TURN_OF_A_COMPUTING_THREAD = 4_000_000;

    private long now = Long.MAX_VALUE - YieldGauge.WINDOW_NANOS; // the clock may overflow
    private long nextYield = QUICK;
    private int yields;
    private final List<Boolean> duringYields = new ArrayList<>();
    private Runnable duringYield = () -> {};

    private final YieldGauge gauge = new YieldGauge(() -> now, () -> {
        yields++;
        now += nextYield;
        duringYield.run();
    });

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 100, 400})
    void quickYieldsAreNotBusy(int threads) {
        window(threads, QUICK);
        window(threads, QUICK);
        assertThat(gauge.isBusy()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16, 100})
    void aWindowBesideThreadsThatComputeIsEnough(int threads) {
        window(threads, TURN_OF_A_COMPUTING_THREAD);
        assertThat(gauge.isBusy()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16, 100})
    void twoWindowsBesideManyThreadsThatComputeAreEnough(int threads) {
        window(threads, 40_000_000);
        window(threads, 40_000_000);
        assertThat(gauge.isBusy()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 16, 100, 400})
    void oneStopOfTheProcessIsNotBusy(int threads) {
        window(threads, 1_000_000_000);
        assertThat(gauge.isBusy()).isFalse();
        window(threads, QUICK);
        window(threads, 1_000_000_000);
        assertThat(gauge.isBusy()).isFalse();
    }

    @Test
    void aTurnOfAllThreadsThatWaitIsNotSlow() {
        window(100, YieldGauge.SLOW_NANOS + 100 * YieldGauge.TURN_NANOS);
        window(100, YieldGauge.SLOW_NANOS + 100 * YieldGauge.TURN_NANOS);
        assertThat(gauge.isBusy()).isFalse();
    }

    @Test
    void aThreadThatStandsForManyCountsAsMany() {
        gauge.begin(100);
        nextYield = YieldGauge.SLOW_NANOS + 50 * YieldGauge.TURN_NANOS;
        assertThat(gauge.yieldOnce(now, 100)).isEqualTo(nextYield);
        nextYield = TURN_OF_A_COMPUTING_THREAD;
        assertThat(gauge.yieldOnce(now, 100)).isZero();
    }

    @Test
    void afterARestOneThreadTriesAndAllYieldAgainIfThatIsQuick() {
        window(4, TURN_OF_A_COMPUTING_THREAD);
        yields = 0;
        now += YieldGauge.REST_NANOS - 1;
        assertThat(gauge.pays(now)).isFalse();
        assertThat(yields).isZero();

        now++;
        nextYield = QUICK;
        duringYield = () -> duringYields.add(gauge.pays(now)); // another thread, meanwhile
        assertThat(gauge.pays(now)).isTrue();

        assertThat(yields).isEqualTo(YieldGauge.PROBES);
        assertThat(duringYields).hasSize(YieldGauge.PROBES).containsOnly(false);
        assertThat(gauge.isBusy()).isFalse();
    }

    @Test
    void oneSlowTrialIsAnotherRest() {
        window(4, TURN_OF_A_COMPUTING_THREAD);
        yields = 0;
        now += YieldGauge.REST_NANOS;
        assertThat(gauge.pays(now)).isFalse();
        assertThat(yields).isOne();

        now += YieldGauge.REST_NANOS - 1;
        assertThat(gauge.pays(now)).isFalse();
        assertThat(yields).isOne();
    }

    /** Lets so many threads yield through one window, each yield of them for so long. */
    private void window(int threads, long yieldNanos) {
        gauge.begin(threads);
        long begun = now;
        long quick = 0;
        nextYield = yieldNanos;
        do {
            // All threads yield at the same time, so the clock moves once for all.
            quick += gauge.yieldOnce(now, threads);
        } while (now - begun < YieldGauge.WINDOW_NANOS);
        // The write of a batch ends while its threads still wait.
        gauge.end(quick, threads);
        gauge.begin(threads);
        gauge.look(now);
        gauge.end(0, threads);
    }
}
