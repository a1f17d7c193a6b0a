package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreStatistics;
import io.tallystick.testkit.States;
import io.tallystick.testkit.Threads;
import io.tallystick.testkit.oracle.StoreCall;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Statistics that add up, and a description that names the store and its directory. */
interface StatisticsContract extends StoreContract {
    @Test
    default void recordsAndBytesAreWhatTheStoreHolds() {
        store().write(key(1), new byte[100], Durability.FORCED);
        checkHeld(1, 100);
        store().write(key(1), new byte[30], Durability.DEFERRED);
        checkHeld(1, 30);
        store().writeShadow(key(1), new byte[50], Durability.DEFERRED);
        checkHeld(1, 80);
        store().writeShadow(key(2), new byte[7], Durability.FORCED);
        checkHeld(2, 87);
        store().hide(key(2));
        checkHeld(2, 87);
        store().commitShadow(key(1), Durability.FORCED);
        checkHeld(2, 57);
        store().write(key(3), new byte[0], Durability.DEFERRED);
        checkHeld(3, 57);
        store().discardShadow(key(2), Durability.DEFERRED);
        checkHeld(2, 50);
        store().remove(key(3), Durability.DEFERRED);
        checkHeld(1, 50);
        store().remove(key(3), Durability.DEFERRED);
        checkHeld(1, 50);
        if (subject().isDurable()) {
            subject().reopened();
            checkHeld(1, 50);
        }
        store().remove(key(1), Durability.FORCED);
        checkHeld(0, 0);
        if (subject().isDurable()) {
            subject().reopened();
            checkHeld(0, 0);
        }
    }

    private void checkHeld(long records, long bytes) {
        StoreStatistics statistics = store().statistics();
        assertThat(statistics.records()).as("records").isEqualTo(records);
        assertThat(statistics.bytes()).as("bytes").isEqualTo(bytes);
    }

    @Test
    default void writesRemovesAndReadsAreCountedWhenTheyDoSomething() {
        byte[] state = States.of("state");
        store().write(key(1), state, Durability.FORCED);
        store().write(key(1), state, Durability.DEFERRED);
        StoreCall.await(store().writeAsync(key(1), state));
        store().writeShadow(key(1), state, Durability.FORCED);
        store().commitShadow(key(1), Durability.FORCED);
        checkCounted(5, 0, 0);
        store().commitShadow(key(1), Durability.FORCED);
        checkCounted(5, 0, 0);
        store().read(key(1));
        store().read(key(2));
        store().readShadow(key(1));
        checkCounted(5, 0, 1);
        store().writeShadow(key(1), state, Durability.DEFERRED);
        store().readShadow(key(1));
        checkCounted(6, 0, 2);
        store().discardShadow(key(1), Durability.DEFERRED);
        store().discardShadow(key(1), Durability.DEFERRED);
        checkCounted(6, 1, 2);
        store().hide(key(1));
        store().read(key(1));
        store().reveal(key(1));
        checkCounted(6, 1, 2);
        store().remove(key(1), Durability.FORCED);
        store().remove(key(1), Durability.FORCED);
        checkCounted(6, 2, 2);
        if (subject().isDurable()) {
            subject().reopened();
            checkCounted(0, 0, 0);
        }
    }

    private void checkCounted(long writes, long removes, long reads) {
        StoreStatistics statistics = store().statistics();
        assertThat(statistics.writes()).as("writes").isEqualTo(writes);
        assertThat(statistics.removes()).as("removes").isEqualTo(removes);
        assertThat(statistics.reads()).as("reads").isEqualTo(reads);
    }

    @Test
    default void countsOfManyThreadsAddUp() {
        Threads.run(8, thread -> {
            for (int i = 0; i < 50; i++) {
                StateKey key = key(thread * 1_000L + i);
                store().write(key, new byte[10], Durability.DEFERRED);
                store().read(key);
                if (i % 5 != 0) {
                    store().remove(key, Durability.DEFERRED);
                }
            }
        });
        checkCounted(400, 320, 400);
        checkHeld(80, 800);
    }

    @Test
    default void forcesAreCountedWithWhatTheyCarried() {
        int writes = 20;
        StoreStatistics before = store().statistics();
        for (int i = 0; i < writes; i++) {
            store().write(key(i), new byte[100], Durability.FORCED);
        }
        store().close();
        StoreStatistics after = store().statistics();
        if (!subject().isDurable()) {
            assertThat(after.forces()).isZero();
            assertThat(after.recordsForced()).isZero();
            assertThat(after.recordsPerForce()).isZero();
            assertThat(after.forceLatency()).isEqualTo(StoreStatistics.Latency.NONE);
            return;
        }
        assertThat(after.forces() - before.forces()).as("forces").isGreaterThanOrEqualTo(writes);
        assertThat(after.recordsForced() - before.recordsForced())
                .as("records forced")
                .isEqualTo(writes);
        assertThat(after.bytesWritten() - before.bytesWritten())
                .as("bytes written")
                .isGreaterThanOrEqualTo(writes * 100L);
        assertThat(after.recordsPerForce()).isEqualTo((double) after.recordsForced() / after.forces());
        StoreStatistics.Latency latency = after.forceLatency();
        assertThat(latency.count()).isEqualTo(after.forces());
        assertThat(latency.meanNanos()).isPositive().isLessThanOrEqualTo(latency.maxNanos());
        assertThat(latency.p50Nanos()).isPositive().isLessThanOrEqualTo(latency.p99Nanos());
        assertThat(latency.p99Nanos()).isLessThanOrEqualTo(latency.p999Nanos());
        assertThat(latency.p999Nanos()).isLessThanOrEqualTo(latency.maxNanos());
    }

    @Test
    default void deferredRecordsAreForcedTogether() {
        StoreStatistics before = store().statistics();
        for (int i = 0; i < 20; i++) {
            store().write(key(i), new byte[100], Durability.DEFERRED);
        }
        store().force();
        store().close();
        StoreStatistics after = store().statistics();
        if (subject().isDurable()) {
            assertThat(after.recordsForced() - before.recordsForced())
                    .as("records forced")
                    .isEqualTo(20);
        } else {
            assertThat(after.forces()).isZero();
        }
    }

    @Test
    default void theDescriptionSaysWhatRunsWhere() throws IOException {
        StoreDescription description = store().description();
        assertThat(description.store()).isNotBlank();
        assertThat(description.toString()).startsWith(description.store()).doesNotContain("\n");
        if (subject().hasDirectory()) {
            assertThat(description.directory()).hasValueSatisfying(path -> assertThat(Files.isDirectory(path))
                    .isTrue());
            assertThat(Files.isSameFile(
                            description.directory().orElseThrow(), subject().directory()))
                    .isTrue();
            assertThat(description.place())
                    .isEqualTo(description.directory().orElseThrow().toString());
            assertThat(description.io()).isPresent();
        } else {
            assertThat(description.directory()).isEmpty();
            assertThat(description.io()).isEmpty();
        }
        store().write(key(1), States.of("state"), Durability.FORCED);
        assertThat(store().description()).isEqualTo(description);
    }
}
