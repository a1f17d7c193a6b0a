package io.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SeedsTest {
    @Test
    void neighbouringSeedsBeginDifferently() {
        long[] counts = new long[4];
        LongStream.range(0, 400).mapToInt(seed -> Seeds.random(seed).nextInt(4)).forEach(choice -> counts[choice]++);

        assertThat(LongStream.of(counts).min().getAsLong()).isGreaterThan(60);
    }

    @Test
    void theSameSeedBeginsInTheSameWay() {
        assertThat(Seeds.random(7).nextLong()).isEqualTo(Seeds.random(7).nextLong());
    }
}
