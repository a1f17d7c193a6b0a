package io.tallystick.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.reaper.CancelOutcome;
import io.tallystick.reaper.CloseMode;
import io.tallystick.reaper.ExpiryReason;
import io.tallystick.reaper.Reapable;
import io.tallystick.reaper.ReaperListener;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.reaper.TransactionReaper;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a scrape finds of a reaper. */
class ReaperMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicLong nanos = new AtomicLong();

    @Test
    void metersAreWhatTheReaperSaysOfItself() {
        TransactionReaper reaper = TransactionReaper.open(
                ReaperOptions.builder().listener(ReaperListener.silent()).build());
        try (ReaperMetrics metrics = new ReaperMetrics(reaper, Tags.of("app", "shop"), nanos::get)) {
            metrics.bindTo(registry);
            reaper.register(refusing(), Duration.ofHours(1));

            assertThat(counter("tallystick.reaper.registered")).isEqualTo(1);
            assertThat(counter("tallystick.reaper.expired")).isZero();
            assertThat(reaper.close(CloseMode.EXPIRE_OPEN, Duration.ofSeconds(30)))
                    .isTrue();
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            assertThat(counter("tallystick.reaper.expired")).isEqualTo(1);
            assertThat(counter("tallystick.reaper.failed")).isEqualTo(1);
            assertThat(registry.get("tallystick.reaper.waiting").gauge().value())
                    .isZero();
            assertThat(registry.get("tallystick.reaper.open").gauge().getId().getTag("app"))
                    .isEqualTo("shop");
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    private static Reapable refusing() {
        return new Reapable() {
            @Override
            public CancelOutcome cancel(ExpiryReason reason) {
                return CancelOutcome.REFUSED;
            }

            @Override
            public boolean preventCommit() {
                return true;
            }
        };
    }

    private double counter(String name) {
        return registry.get(name).functionCounter().count();
    }
}
