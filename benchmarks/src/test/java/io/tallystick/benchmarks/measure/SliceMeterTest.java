package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SliceMeterTest {
    @Test
    void everyOperationIsInOneSlice() {
        SliceMeter.Count count = SliceMeter.newCount();
        long begun = System.nanoTime();
        SliceMeter.begin();
        long operations = 0;
        while (System.nanoTime() - begun < 3 * SliceMeter.SLICE_NANOS + SliceMeter.SLICE_NANOS / 2) {
            count.increment();
            operations++;
        }
        SliceMeter.end();
        double seconds = (System.nanoTime() - begun) / 1e9;

        List<Double> rates = SliceMeter.rates();
        assertThat(rates).hasSizeBetween(2, 5).allMatch(rate -> rate > 0);
        double mean = rates.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
        assertThat(mean).isBetween(operations / seconds / 2, operations / seconds * 2);
    }
}
