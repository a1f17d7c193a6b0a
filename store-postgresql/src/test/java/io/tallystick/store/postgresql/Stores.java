package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Takeover;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executor;

/** How tests open stores, and what they write. */
final class Stores {
    static final String TYPE = "/Test";

    /** A thread for each task. The common pool of some JDKs has one thread on a small machine. */
    static final Executor OWN_THREAD = task -> {
        Thread thread = new Thread(task, "test-task");
        thread.setDaemon(true);
        thread.start();
    };

    private Stores() {}

    static StoreConfiguration.Builder settings(String url, String node) {
        return StoreConfiguration.builder()
                .store("postgresql")
                .set(StoreOption.POSTGRESQL_URL, url)
                .set(StoreOption.POSTGRESQL_CREATE_TABLES, true)
                .set(StoreOption.REQUIRE_REPLICATION, StoreOption.Replication.NONE)
                .set(StoreOption.NODE_ID, node)
                .set(StoreOption.LEASE, Duration.ofSeconds(2))
                .set(StoreOption.PATIENCE, Duration.ofSeconds(20));
    }

    static ObjectStore open(StoreConfiguration.Builder settings) {
        return PostgresStore.open(PostgresOptions.from(settings.build()), NanoClock.SYSTEM);
    }

    static ObjectStore openWithSmallRanges(StoreConfiguration.Builder settings) {
        return PostgresStore.open(PostgresOptions.from(settings.build()), NanoClock.SYSTEM, 16 << 10);
    }

    /**
     * Opens after the silence of an owner whose connections were just frozen. A sign of life that was on its way then
     * may arrive after the first look, and the opening is refused.
     */
    static ObjectStore openWhenSilent(StoreConfiguration.Builder settings) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        for (; ; ) {
            try {
                return open(settings);
            } catch (StoreLockedException late) {
                if (System.nanoTime() - end > 0) {
                    throw late;
                }
            }
        }
    }

    static ObjectStore takeOver(String url, String node) {
        return open(settings(url, node).set(StoreOption.TAKEOVER, Takeover.AT_ONCE));
    }

    /** Closes a store that has failed, or perhaps has: it says so once more. */
    static void closeFailed(ObjectStore store) {
        try {
            store.close();
        } catch (StoreException expected) {
            // the test has looked at what it says already
        }
    }

    static StateKey key(long number) {
        return StateKey.of(
                TYPE, ObjectId.of(ByteBuffer.allocate(8).putLong(number).array()));
    }

    static byte[] state(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
