package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The housekeeper logs, and the user's handler throws or never returns. */
class HousekeeperLogTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int MOST_RECORDS = 1_000;

    private final CountDownLatch testIsOver = new CountDownLatch(1);

    @Test
    @Timeout(60)
    void aHandlerThatThrowsDoesNotFailTheStore() {
        assertTheStoreGoesOn(() -> {
            throw new IllegalStateException("thrown by the test");
        });
    }

    @Test
    @Timeout(60)
    void aHandlerThatNeverReturnsHoldsNoCallerUp() {
        try {
            assertTheStoreGoesOn(() -> {
                try {
                    testIsOver.await();
                } catch (InterruptedException over) {
                    Thread.currentThread().interrupt();
                }
            });
        } finally {
            testIsOver.countDown();
        }
    }

    private static void assertTheStoreGoesOn(Runnable whenToldOfTheSegment) {
        Logger logger = Logger.getLogger(Housekeeper.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord told) {
                if (told.getMessage().contains("TALLY0307")) {
                    whenToldOfTheSegment.run();
                }
            }

            @Override
            public void flush() {
                // nothing is kept
            }

            @Override
            public void close() {
                // nothing is kept
            }
        };
        FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
        logger.addHandler(handler);
        try (ObjectStore store = JournalStores.open(
                JournalStores.small(DIRECTORY, "segmented", "direct")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.JOURNAL_SEGMENTS, 8)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk)) {
            disk.inject(DiskFault.in(DiskOperation.OPEN)
                    .onFiles(file -> file.toString().endsWith(SegmentFormat.UNFINISHED_SUFFIX))
                    .forEver()
                    .failingWith(DiskFault.EIO));
            assertThatThrownBy(() -> {
                        for (int number = 1; number < MOST_RECORDS; number++) {
                            store.write(key(number), new byte[2_000], Durability.FORCED);
                        }
                    })
                    .isInstanceOf(StoreIoException.class)
                    .hasMessageContaining(DiskFault.EIO);
            assertThat(store.failure()).isEmpty();
            assertThat(store.remove(key(1), Durability.FORCED)).isTrue();
        } finally {
            logger.removeHandler(handler);
        }
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }
}
