package io.tallystick.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.NarayanaStores;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreHealth.State;
import io.tallystick.store.spi.ForwardingStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.health.contributor.Health;

class TallystickHealthIndicatorTest {
    private final StoreInState store = new StoreInState(
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build()));
    private final NarayanaStores stores = NarayanaStores.install(store);

    @AfterEach
    void close() {
        stores.close();
    }

    @ParameterizedTest
    @CsvSource({
        "OPEN,     true,  UP,             UP",
        "OPEN,     false, DOWN,           UP",
        "DRAINING, true,  OUT_OF_SERVICE, UP",
        "FAILED,   true,  DOWN,           DOWN",
        "CLOSED,   false, DOWN,           UP"
    })
    void onlyAFailedStoreEndsTheProcessAndOnlyAServingOneGetsWork(
            State state, boolean lockHeld, String readiness, String liveness) {
        store.state = state;
        store.lockHeld = lockHeld;

        assertThat(new TallystickHealthIndicator(stores).health().getStatus().getCode())
                .isEqualTo(readiness);
        assertThat(new TallystickLivenessHealthIndicator(stores)
                        .health()
                        .getStatus()
                        .getCode())
                .isEqualTo(liveness);
    }

    @Test
    void theDetailsAreFiguresForPeople() {
        Health health = new TallystickHealthIndicator(stores).health();

        assertThat(health.getDetails())
                .isEqualTo(Map.of("state", "OPEN", "usableBytes", 4096L, "oldestRecordAge", "PT2S", "inDoubt", 0L));
    }

    /** A real store that says of itself what a test wants. */
    private static final class StoreInState extends ForwardingStore {
        private State state = State.OPEN;
        private boolean lockHeld = true;

        StoreInState(ObjectStore store) {
            super(store);
        }

        @Override
        public StoreHealth health() {
            return new StoreHealth(
                    state,
                    Optional.empty(),
                    lockHeld,
                    Optional.empty(),
                    OptionalLong.of(4096),
                    Optional.of(Duration.ofSeconds(2)),
                    Optional.empty(),
                    Optional.empty());
        }
    }
}
