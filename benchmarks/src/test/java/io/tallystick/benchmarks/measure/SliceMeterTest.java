package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SliceMeterTest {
    @Test
    void everyOperationIsInOneSlice() {
        SliceMeter.Count count = SliceMeter.newCount();
        long begun = System.nanoTime();
        SliceMeter.begin();
        long operations = 0;
        while (SliceMeter.slices().size() < 3) {
            count.increment();
            operations++;
        }
        int before = SliceMeter.slices().size();
        while (SliceMeter.slices().size() < before + 2) { // the second one begins after the last operation
            Thread.onSpinWait();
        }
        SliceMeter.end();
        long took = System.nanoTime() - begun;

        List<SliceMeter.Slice> slices = SliceMeter.slices();
        assertThat(slices.stream().mapToLong(SliceMeter.Slice::operations).sum())
                .isEqualTo(operations);
        assertThat(slices).allMatch(slice -> slice.nanos() >= SliceMeter.SLICE_NANOS / 2);
        assertThat(slices.stream().mapToLong(SliceMeter.Slice::nanos).sum()).isLessThanOrEqualTo(took);
        assertThat(SliceMeter.rates()).hasSameSizeAs(slices).last().isEqualTo(0.0);
    }

    @Test
    void theRateOfASliceIsThatOfASecond() {
        assertThat(new SliceMeter.Slice(50, 250_000_000).rate()).isEqualTo(200);
    }
}
