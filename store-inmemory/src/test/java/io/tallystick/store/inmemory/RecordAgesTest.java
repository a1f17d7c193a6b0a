package io.tallystick.store.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.ForwardingStore;
import io.tallystick.store.spi.RecordAges;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The age of the oldest record, as looks now and then find it. */
class RecordAgesTest {
    private final InMemoryStore store = InMemoryStore.open();
    private final RecordAges ages = new RecordAges();

    @Test
    void ageCountsFromTheFirstLookThatSawTheRecord() {
        assertThat(ages.oldest(store, 0)).isEmpty();
        write(1);
        assertThat(ages.oldest(store, seconds(10))).contains(Duration.ZERO);
        write(2);
        assertThat(ages.oldest(store, seconds(15))).contains(Duration.ofSeconds(5));
    }

    @Test
    void theNextOldestFollowsWhenTheOldestIsRemoved() {
        write(1);
        ages.oldest(store, 0);
        write(2);
        ages.oldest(store, seconds(3));
        store.remove(key(1), Durability.FORCED);
        assertThat(ages.oldest(store, seconds(10))).contains(Duration.ofSeconds(7));
        store.remove(key(2), Durability.FORCED);
        assertThat(ages.oldest(store, seconds(11))).isEmpty();
    }

    @Test
    void theOldestIsNotLostAmongThousands() {
        write(0);
        ages.oldest(store, 0);
        for (int i = 1; i < 5_000; i++) {
            write(i);
        }
        for (int look = 1; look < 5; look++) {
            assertThat(ages.oldest(store, seconds(look))).contains(Duration.ofSeconds(look));
        }
        for (int i = 0; i < 4_999; i++) {
            store.remove(key(i), Durability.DEFERRED);
        }
        assertThat(ages.oldest(store, seconds(9))).isPresent();
    }

    @Test
    void aStoreOfManyRecordsIsListedOnceUntilTheWatchedOnesAreGone() {
        AtomicInteger listings = new AtomicInteger();
        ObjectStore listed = new ForwardingStore(store) {
            @Override
            public List<StateKey> keys(String type) {
                throw new AssertionError("keys() lists all records");
            }

            @Override
            public List<StateKey> keys(String type, int atMost) {
                listings.incrementAndGet();
                assertThat(atMost).isEqualTo(1_000);
                return super.keys(type, atMost);
            }

            @Override
            public Set<String> types() {
                throw new AssertionError("types() walks all records");
            }
        };
        for (int i = 0; i < 12_000; i++) {
            write(i);
        }
        for (int look = 0; look < 5; look++) {
            assertThat(ages.oldest(listed, seconds(look))).contains(Duration.ofSeconds(look));
        }
        assertThat(listings).hasValue(1);
        store.keys("/T", 1_000).forEach(key -> store.remove(key, Durability.DEFERRED));
        assertThat(ages.oldest(listed, seconds(9))).contains(Duration.ZERO);
        assertThat(listings).hasValue(2);
    }

    @Test
    void aRecordIsSeenThoughOneOfTheWatchedEndedMeanwhile() {
        write(1);
        ages.oldest(store, 0);
        store.remove(key(1), Durability.FORCED);
        write(2);
        assertThat(ages.oldest(store, seconds(1))).contains(Duration.ZERO);
    }

    private void write(int number) {
        store.write(key(number), new byte[1], Durability.FORCED);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }

    private static long seconds(long count) {
        return Duration.ofSeconds(count).toNanos();
    }
}
