package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.StoreStatistics;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatisticsRecorderTest {
    private final StatisticsRecorder recorder = new StatisticsRecorder();

    @Test
    void nothingRecordedIsAllZero() {
        assertThat(recorder.snapshot())
                .isEqualTo(new StoreStatistics(0, 0, 0, 0, 0, 0, 0, 0, StoreStatistics.Latency.NONE));
    }

    @Test
    void countsAreWhatWasCounted() {
        recorder.recordsChanged(3);
        recorder.recordsChanged(-1);
        recorder.bytesChanged(100);
        recorder.bytesChanged(-30);
        recorder.written();
        recorder.written();
        recorder.removed();
        recorder.read();
        recorder.bytesWritten(4096);
        recorder.forced(5, 1_000);
        recorder.forced(2, 3_000);
        StoreStatistics statistics = recorder.snapshot();

        assertThat(statistics.records()).isEqualTo(2);
        assertThat(statistics.bytes()).isEqualTo(70);
        assertThat(statistics.writes()).isEqualTo(2);
        assertThat(statistics.removes()).isEqualTo(1);
        assertThat(statistics.reads()).isEqualTo(1);
        assertThat(statistics.bytesWritten()).isEqualTo(4096);
        assertThat(statistics.forces()).isEqualTo(2);
        assertThat(statistics.recordsForced()).isEqualTo(7);
        assertThat(statistics.recordsPerForce()).isEqualTo(3.5);
        assertThat(statistics.forceLatency().meanNanos()).isEqualTo(2_000);
        assertThat(statistics.forceLatency().maxNanos()).isEqualTo(3_000);
    }

    @Test
    void imageThatGivesWayChangesRecordsAndBytes() {
        StateImage one = StateImage.ABSENT.write(new byte[10]);
        StateImage two = one.writeShadow(new byte[5]);
        recorder.imageChanged(StateImage.ABSENT, one);
        assertHeld(1, 10);
        recorder.imageChanged(one, two);
        assertHeld(1, 15);
        recorder.imageChanged(two, two.hide());
        assertHeld(1, 15);
        recorder.imageChanged(two.hide(), StateImage.ABSENT);
        assertHeld(0, 0);
    }

    private void assertHeld(long records, long bytes) {
        assertThat(recorder.snapshot().records()).isEqualTo(records);
        assertThat(recorder.snapshot().bytes()).isEqualTo(bytes);
    }

    @Test
    void bucketsFollowEachOtherWithoutGapsAndAreOneSixteenthWide() {
        long[] values = LongStream.concat(
                        LongStream.range(0, 5_000),
                        LongStream.range(4, 63)
                                .flatMap(bit -> LongStream.of((1L << bit) - 1, 1L << bit, (1L << bit) + 1)))
                .sorted()
                .toArray();
        int last = 0;
        for (long value : values) {
            int bucket = StatisticsRecorder.bucketOf(value);
            long highest = StatisticsRecorder.highestOf(bucket);

            assertThat(bucket).as("bucket of %d", value).isGreaterThanOrEqualTo(last);
            assertThat(highest).as("highest of %d", value).isGreaterThanOrEqualTo(value);
            assertThat(highest - value).as("error at %d", value).isLessThanOrEqualTo(value / 16);
            assertThat(StatisticsRecorder.bucketOf(highest)).isEqualTo(bucket);
            last = bucket;
        }
        assertThat(StatisticsRecorder.highestOf(StatisticsRecorder.bucketOf(Long.MAX_VALUE)))
                .isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void percentilesAreExactToOneSixteenth(long seed) {
        Random random = new Random(seed);
        long[] nanos = LongStream.generate(() -> (long) (20_000 * Math.exp(random.nextGaussian() * 1.5)))
                .limit(10_000)
                .toArray();
        for (long value : nanos) {
            recorder.forced(1, value);
        }
        Arrays.sort(nanos);
        StoreStatistics.Latency latency = recorder.snapshot().forceLatency();

        assertThat(latency.count()).isEqualTo(10_000);
        assertWithin(latency.p50Nanos(), nanos[4_999]);
        assertWithin(latency.p99Nanos(), nanos[9_899]);
        assertWithin(latency.p999Nanos(), nanos[9_989]);
        assertThat(latency.maxNanos()).isEqualTo(nanos[9_999]);
        assertThat(latency.meanNanos()).isEqualTo(LongStream.of(nanos).average().orElseThrow());
    }

    private static void assertWithin(long found, long exact) {
        assertThat(found).isBetween(exact, exact + exact / 16);
    }

    @Test
    void percentileIsNeverAboveTheMaximum() {
        recorder.forced(1, 1_000_001);
        StoreStatistics.Latency latency = recorder.snapshot().forceLatency();

        assertThat(latency)
                .isEqualTo(new StoreStatistics.Latency(
                        1,
                        1_000_001,
                        1_000_001,
                        1_000_001,
                        1_000_001,
                        1_000_001,
                        List.of(new StoreStatistics.Bucket(1_015_807, 1))));
    }

    @Test
    void timeThatWentBackCountsAsNone() {
        recorder.forced(1, -5);

        assertThat(recorder.snapshot().forceLatency())
                .isEqualTo(new StoreStatistics.Latency(1, 0, 0, 0, 0, 0, List.of(new StoreStatistics.Bucket(0, 1))));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 15, 16, 1_000, 50_000, 1_000_000, 1_000_000_000})
    void countUpToIsExactToOneSixteenth(long bound) {
        Random random = new Random(bound);
        long[] nanos = LongStream.generate(() -> (long) (200_000 * Math.exp(random.nextGaussian() * 4)))
                .limit(10_000)
                .toArray();
        for (long value : nanos) {
            recorder.forced(1, value);
        }
        long upTo = recorder.snapshot().forceLatency().countUpTo(bound);

        assertThat(upTo)
                .isLessThanOrEqualTo(
                        LongStream.of(nanos).filter(value -> value <= bound).count())
                .isGreaterThanOrEqualTo(LongStream.of(nanos)
                        .filter(value -> value <= bound - bound / 16)
                        .count());
    }

    @Test
    void everyTimeIsInABucket() {
        recorder.forced(1, 1);
        recorder.forced(1, 1);
        recorder.forced(1, Long.MAX_VALUE);
        StoreStatistics.Latency latency = recorder.snapshot().forceLatency();

        assertThat(latency.buckets())
                .containsExactly(new StoreStatistics.Bucket(1, 2), new StoreStatistics.Bucket(Long.MAX_VALUE, 1));
        assertThat(latency.countUpTo(0)).isZero();
        assertThat(latency.countUpTo(1)).isEqualTo(2);
        assertThat(latency.countUpTo(Long.MAX_VALUE)).isEqualTo(3);
    }
}
