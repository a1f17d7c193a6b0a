package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ReaperOptionsTest {
    @Test
    void defaultsAreAsDocumented() {
        ReaperOptions defaults = ReaperOptions.defaults();

        assertThat(defaults.precision()).isEqualTo(Duration.ofMillis(100));
        assertThat(defaults.workers()).isEqualTo(4);
        assertThat(defaults.wedgedAfter()).isEqualTo(Duration.ofSeconds(5));
        assertThat(defaults.maxWedgedWorkers()).isEqualTo(16);
        assertThat(defaults.stackCaptureLead()).isZero();
        assertThat(defaults.closeMode()).isEqualTo(CloseMode.EXPIRE_OPEN);
        assertThat(defaults.closeTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(defaults.threadFactory()).isEmpty();
    }

    @Test
    void aBuilderOfOptionsHasTheirValues() {
        ThreadFactory threads = Thread::new;
        ReaperListener listener = ReaperListener.silent();
        ReaperOptions options = ReaperOptions.builder()
                .precision(Duration.ofMillis(20))
                .workers(7)
                .wedgedAfter(Duration.ofMillis(1500))
                .maxWedgedWorkers(3)
                .stackCaptureLead(Duration.ofMinutes(1))
                .closeMode(CloseMode.WAIT_FOR_OPEN)
                .closeTimeout(Duration.ofHours(1))
                .listener(listener)
                .threadFactory(threads)
                .build();

        ReaperOptions copy = options.toBuilder().build();

        assertThat(copy)
                .hasToString("precision=20ms workers=7 wedgedAfter=1500ms maxWedgedWorkers=3"
                        + " stackCaptureLead=60s closeMode=WAIT_FOR_OPEN closeTimeout=3600s")
                .hasToString(options.toString());
        assertThat(copy.listener()).isSameAs(listener);
        assertThat(copy.threadFactory()).containsSame(threads);
        assertThat(options.toBuilder().workers(8).build().workers()).isEqualTo(8);
        assertThat(options.workers()).as("unchanged").isEqualTo(7);
    }

    static Stream<Arguments> outOfBounds() {
        Duration year = Duration.ofDays(365);
        return Stream.of(
                refused("precision=0 is not between 1ms and 60s", it -> it.precision(Duration.ZERO)),
                refused("precision=120s is not", it -> it.precision(Duration.ofMinutes(2))),
                refused("workers=0 is not between 1 and 1024", it -> it.workers(0)),
                refused("workers=1025 is not", it -> it.workers(1025)),
                refused("wedgedAfter=0 is not between 1ms and 86400s", it -> it.wedgedAfter(Duration.ZERO)),
                refused("wedgedAfter=31536000s is not", it -> it.wedgedAfter(year)),
                refused("maxWedgedWorkers=-1 is not between 0 and 1024", it -> it.maxWedgedWorkers(-1)),
                refused("maxWedgedWorkers=1025 is not", it -> it.maxWedgedWorkers(1025)),
                refused("stackCaptureLead=-1ms is not", it -> it.stackCaptureLead(Duration.ofMillis(-1))),
                refused("stackCaptureLead=31536001s is not", it -> it.stackCaptureLead(year.plusSeconds(1))),
                refused(
                        "closeTimeout=-1ms is not between 0 and 31536000s",
                        it -> it.closeTimeout(Duration.ofMillis(-1))),
                refused("closeTimeout=31536001s is not", it -> it.closeTimeout(year.plusSeconds(1))));
    }

    private static Arguments refused(String message, UnaryOperator<ReaperOptions.Builder> setter) {
        return Arguments.of(message, setter);
    }

    @ParameterizedTest
    @MethodSource("outOfBounds")
    void aValueOutOfItsBoundsIsRefusedNamingThem(String message, UnaryOperator<ReaperOptions.Builder> setter) {
        assertThatThrownBy(() -> setter.apply(ReaperOptions.builder()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void theBoundsThemselvesAreAccepted() {
        ReaperOptions shortest = ReaperOptions.builder()
                .precision(Duration.ofMillis(1))
                .workers(1)
                .wedgedAfter(Duration.ofMillis(1))
                .maxWedgedWorkers(0)
                .stackCaptureLead(Duration.ZERO)
                .closeTimeout(Duration.ZERO)
                .build();
        ReaperOptions longest = ReaperOptions.builder()
                .precision(Duration.ofMinutes(1))
                .workers(1024)
                .wedgedAfter(Duration.ofDays(1))
                .maxWedgedWorkers(1024)
                .stackCaptureLead(Duration.ofDays(365))
                .closeTimeout(Duration.ofDays(365))
                .build();

        assertThat(shortest.workers()).isEqualTo(1);
        assertThat(longest.workers()).isEqualTo(1024);
    }

    @Test
    void nullIsRefused() {
        assertThatThrownBy(() -> ReaperOptions.builder().precision(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> ReaperOptions.builder().closeMode(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> ReaperOptions.builder().listener(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> ReaperOptions.builder().threadFactory(null)).isInstanceOf(NullPointerException.class);
    }
}
