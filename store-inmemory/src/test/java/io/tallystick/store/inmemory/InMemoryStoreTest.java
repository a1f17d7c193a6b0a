package io.tallystick.store.inmemory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InMemoryStoreTest {
    private static final StateKey KEY = StateKey.of("/Test", ObjectId.parse("01"));

    @Test
    void configurationSelectsIt() {
        try (ObjectStore store =
                ObjectStores.open(StoreConfiguration.builder().store("inmemory").build())) {
            assertThat(store).isInstanceOf(InMemoryStore.class);
            assertThat(store.description()).hasToString("inmemory (nothing survives the process)");
        }
    }

    @Test
    void configurationLimitsTheStates() {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .store("inmemory")
                .set(StoreOption.MAX_STATE_SIZE, 2048L)
                .build();
        try (ObjectStore store = ObjectStores.open(configuration)) {
            store.write(KEY, new byte[2048], Durability.FORCED);
            assertThatThrownBy(() -> store.write(KEY, new byte[2049], Durability.FORCED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("state has length=2049 bytes; the maximum is 2048,"
                            + " set tallystick.max-state-size for larger ones");
        }
    }

    @Test
    void nothingSurvivesClosing() {
        InMemoryStore store = InMemoryStore.open();
        store.write(KEY, new byte[10], Durability.FORCED);
        store.close();

        assertThat(store.statistics().records()).isZero();
        assertThat(store.statistics().writes()).isEqualTo(1);
        try (InMemoryStore next = InMemoryStore.open()) {
            assertThat(next.read(KEY)).isEmpty();
        }
    }

    /** Nothing can be left behind by an opening or a thread that fails, and nothing is told before it is there. */
    @Test
    void itStartsNoThreadAndLeavesNothingToBeDoneLater() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (InMemoryStore store = InMemoryStore.open()) {
            assertThat(store.writeAsync(KEY, new byte[10]).toCompletableFuture())
                    .isCompleted();
            assertThat(store.read(KEY)).isPresent();
            assertThat(store.statistics().writes()).isEqualTo(1);
            assertThat(store.remove(KEY, Durability.DEFERRED)).isTrue();
            assertThat(store.read(KEY)).isEmpty();
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().startsWith("tallystick"))
                .isSubsetOf(before);
    }

    @Test
    void negativeLimitIsRefused() {
        assertThatThrownBy(() -> InMemoryStore.open(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
    }
}
