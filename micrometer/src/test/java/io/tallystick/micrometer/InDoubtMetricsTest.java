package io.tallystick.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.narayana.logs.record.InDoubtTransaction;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.narayana.logs.record.RecoveryTries;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a scrape finds of the transactions in doubt. */
class InDoubtMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicReference<Optional<InDoubtReport>> report =
            new AtomicReference<>(Optional.of(InDoubtReport.EMPTY));
    private final AtomicInteger looks = new AtomicInteger();
    private final ObjectStore store =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());
    private final InDoubtMetrics metrics = new InDoubtMetrics(
            store,
            () -> {
                looks.incrementAndGet();
                return report.get();
            },
            nanos::get);

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void stateAndAgeAreThoseOfTheLook() {
        metrics.bindTo(registry);
        assertThat(count("unreadable")).isZero();
        assertThat(value("tallystick.indoubt.oldest.age")).isZero();

        report.set(Optional.of(new InDoubtReport(
                List.of(unreadable(1, Duration.ofSeconds(30)), unreadable(2, Duration.ofMinutes(5))),
                7,
                Optional.of(new InDoubtReport.OpenTransaction("0:1", Duration.ofHours(6), List.of("http-7"))))));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));

        assertThat(count("unreadable")).isEqualTo(2);
        assertThat(count("heuristic")).isZero();
        assertThat(value("tallystick.indoubt.unseen")).isEqualTo(7);
        assertThat(value("tallystick.indoubt.oldest.age")).isEqualTo(300);
        assertThat(value("tallystick.transactions.oldest.age")).isEqualTo(6 * 3600);
        assertThat(looks.get()).isEqualTo(2);
    }

    @Test
    void aLogThatCannotBeListedHasNoValues() {
        report.set(Optional.empty());
        metrics.bindTo(registry);
        assertThat(count("in-doubt")).isNaN();
        assertThat(value("tallystick.indoubt.oldest.age")).isNaN();
    }

    @Test
    void closingTakesTheMetersOut() {
        metrics.bindTo(registry);
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    private double count(String state) {
        return registry.get("tallystick.indoubt.transactions")
                .tag("state", state)
                .gauge()
                .value();
    }

    private double value(String name) {
        return registry.get(name).gauge().value();
    }

    private static InDoubtTransaction unreadable(int number, Duration age) {
        byte[] id = new byte[28];
        id[27] = (byte) number;
        StateKey key = StateKey.of("/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction", ObjectId.of(id));
        return InDoubtTransaction.at(Instant.EPOCH, LoggedTransaction.of(key, new byte[] {1}), age, RecoveryTries.NONE);
    }
}
