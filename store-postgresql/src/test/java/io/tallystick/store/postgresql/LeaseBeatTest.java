package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreLockedException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseBeatTest extends WithServer {
    /** What the beat meets when it next looks at the clock. */
    private final AtomicReference<Throwable> next = new AtomicReference<>();

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, NoClassDefFoundError.class, IllegalStateException.class})
    void anErrorInTheBeatDoesNotMakeALivingOwnerLookDead(Class<? extends Throwable> kind) throws Exception {
        StoreConfiguration.Builder settings = Stores.settings(server.url(), kind.getSimpleName());
        try (ObjectStore owner = PostgresStore.open(PostgresOptions.from(settings.build()), this::nanoTime)) {
            next.set(kind.getConstructor(String.class).newInstance("planned"));
            await().atMost(Duration.ofSeconds(30)).until(() -> next.get() == null);

            assertThatThrownBy(() -> Stores.open(settings))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("has an owner that lives");
            owner.write(Stores.key(1), Stores.state("goes on"), Durability.FORCED);
        }
        assertThat(server.one(
                        "SELECT clean FROM tallystick.tallystick_log WHERE node_id = '" + kind.getSimpleName() + "'"))
                .as("the next owner was told")
                .isEqualTo("t");
    }

    private long nanoTime() {
        if (Thread.currentThread().getName().equals("tallystick-postgresql-beat")) {
            Throwable planned = next.getAndSet(null);
            if (planned instanceof Error error) {
                throw error;
            }
            if (planned instanceof RuntimeException exception) {
                throw exception;
            }
        }
        return NanoClock.SYSTEM.nanoTime();
    }
}
