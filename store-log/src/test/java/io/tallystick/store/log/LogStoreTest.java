package io.tallystick.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.spi.RecordHome;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store over a log that keeps its records in memory: without files, and without a directory. */
@Timeout(60)
class LogStoreTest {
    private static final StateKey KEY = StateKey.of("/Type", ObjectId.of(new byte[] {1}));
    private static final StateKey OTHER = StateKey.of("/Type", ObjectId.of(new byte[] {2}));
    private static final UUID ID = new UUID(1, 2);
    private static final byte[] STORE_ID =
            ByteBuffer.allocate(16).putLong(1).putLong(2).array();

    private final HeapLog log = new HeapLog();
    private final Place place = new Place();

    @Test
    void aStoreNeedsNoFile() throws Exception {
        try (LogStore store = open()) {
            store.write(KEY, new byte[] {7}, Durability.FORCED);
            store.writeAsync(OTHER, new byte[] {8}).toCompletableFuture().get(30, TimeUnit.SECONDS);

            assertThat(store.read(KEY)).contains(new byte[] {7});
            assertThat(store.keys("/Type")).hasSize(2);
            assertThat(store.health().storeId()).contains(ID);
            assertThat(store.remove(KEY, Durability.FORCED)).isTrue();
            assertThat(store.read(KEY)).isEmpty();
        }
        assertThat(log.isClosed).isTrue();
        assertThat(place.isClosed).isTrue();
    }

    @Test
    void aLogThatDoesNotStartIsClosedAndItsPlaceIsLeftToTheOpener() {
        log.refusal = new IOException("no room to keep house");

        assertThatThrownBy(this::open).isSameAs(log.refusal);

        assertThat(log.isClosed).isTrue();
        assertThat(place.isClosed).isFalse();
    }

    @Test
    void messagesNameThePlace() throws Exception {
        LogStore store = open();
        store.close();

        assertThatThrownBy(() -> store.read(KEY))
                .isInstanceOf(StoreClosedException.class)
                .hasMessageContaining("memory:heap");
    }

    @Test
    void whoIsToldThatAStateIsGoneDoesNotSeeItAlthoughItsRemovalIsOnTheWay() throws Exception {
        assertThat(readAfterADeferredRemovalBeside(store -> store.remove(KEY, Durability.FORCED)))
                .isEmpty();
    }

    @Test
    void whoHasRemovedAStateDoesNotSeeItAlthoughAForcedShadowIsOnTheWay() throws Exception {
        assertThat(readAfterADeferredRemovalBeside(store -> store.writeShadow(KEY, new byte[] {8}, Durability.FORCED)))
                .isEmpty();
    }

    @Test
    void aHidingThatFoundNothingDoesNotClaimAStateThatCameMeanwhile() throws Exception {
        try (LogStore store = open()) {
            CountDownLatch writing = new CountDownLatch(1);
            CountDownLatch mayLand = new CountDownLatch(1);
            log.whenWriting = () -> {
                writing.countDown();
                UninterruptedWait.through(mayLand::await);
            };
            AtomicReference<Boolean> hidden = new AtomicReference<>();
            Thread busy = new Thread(() -> store.write(OTHER, new byte[] {1}, Durability.FORCED));
            busy.start();
            writing.await();
            Thread hiding = new Thread(() -> hidden.set(store.hide(KEY))); // it waits, because others are on their way
            hiding.start();
            awaitWaitingOrOver(hiding);
            store.write(KEY, new byte[] {7}, Durability.DEFERRED);
            mayLand.countDown();
            busy.join();
            hiding.join();

            assertThat(store.read(KEY)).contains(new byte[] {7});
            assertThat(hidden).hasValue(false);
        }
    }

    /** Its thread would write the state after the action. */
    @Test
    void anActionThatDefersOnTopOfItsOwnAsynchronousWriteGoesOn() throws Exception {
        try (LogStore store = open()) {
            store.writeAsync(OTHER, new byte[] {1})
                    .thenRun(() -> {
                        store.writeAsync(KEY, new byte[] {7});
                        store.writeShadow(KEY, new byte[] {8}, Durability.DEFERRED);
                        assertThat(store.readShadow(KEY)).contains(new byte[] {8});
                    })
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    /** The change lies on disk, and waits for a deferred one before it. Readers see what it supersedes. */
    @Test
    void aReadGoesOnWhileAForcedChangeWaitsForADeferredOneThatThenFails() throws Exception {
        log.writesInFlight = 2;
        log.forgets = true;
        LogStore store = open(WaitStrategy.SLEEP);
        store.write(KEY, new byte[] {7}, Durability.FORCED);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch mayFail = new CountDownLatch(1);
        CountDownLatch overtaken = new CountDownLatch(1);
        log.whenWriting = () -> {
            log.whenWriting = overtaken::countDown;
            writing.countDown();
            UninterruptedWait.through(mayFail::await);
            throw new IllegalStateException("the disk fails");
        };
        store.write(OTHER, new byte[] {1}, Durability.DEFERRED);
        Thread forcing = background(store::force);
        writing.await();
        Thread changing = background(() -> store.write(KEY, new byte[] {8}, Durability.FORCED));
        overtaken.await();
        awaitWaitingOrOver(changing);

        assertTimeoutPreemptively(
                Duration.ofSeconds(10), () -> assertThat(store.read(KEY)).contains(new byte[] {7}));
        mayFail.countDown();
        forcing.join();
        changing.join();

        assertThat(store.read(KEY)).contains(new byte[] {7});
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
    }

    private static Thread background(Runnable call) {
        Thread thread = new Thread(() -> {
            try {
                call.run();
            } catch (StoreException unknown) {
                // whether it is on disk is not the question here
            }
        });
        thread.start();
        return thread;
    }

    /** What a thread reads that has removed the state, or was told that it is gone, while this stood in its write. */
    private Optional<byte[]> readAfterADeferredRemovalBeside(Consumer<LogStore> forced) throws Exception {
        try (LogStore store = open()) {
            store.write(KEY, new byte[] {7}, Durability.FORCED);
            CountDownLatch writing = new CountDownLatch(1);
            CountDownLatch mayLand = new CountDownLatch(1);
            log.whenWriting = () -> {
                writing.countDown();
                UninterruptedWait.through(mayLand::await);
            };
            Thread first = new Thread(() -> forced.accept(store));
            first.start();
            writing.await();
            AtomicReference<Optional<byte[]>> seen = new AtomicReference<>();
            Thread second = new Thread(() -> {
                store.remove(KEY, Durability.DEFERRED);
                seen.set(store.read(KEY));
            });
            second.start();
            awaitWaitingOrOver(second);
            mayLand.countDown();
            first.join();
            second.join();
            return seen.get();
        }
    }

    private static void awaitWaitingOrOver(Thread thread) {
        while (thread.getState() == Thread.State.NEW || thread.getState() == Thread.State.RUNNABLE) {
            Thread.onSpinWait();
        }
    }

    private LogStore open() throws IOException {
        return open(WaitStrategy.EXPECTED_END);
    }

    private LogStore open(WaitStrategy waiting) throws IOException {
        StatisticsRecorder statistics = new StatisticsRecorder();
        return LogStore.open(
                log,
                new ConcurrentHashMap<>(),
                place,
                new LogSettings(
                        "log-store-test",
                        STORE_ID,
                        1024,
                        waiting,
                        Optional.empty(),
                        NanoClock.SYSTEM,
                        statistics,
                        new StoreDescription("heap", Optional.empty(), Optional.empty(), Optional.empty(), "", "")),
                StoreEvents.NONE.beginRecovery());
    }

    private static final class Place implements LogHome {
        private boolean isClosed;

        @Override
        public UUID storeId() {
            return ID;
        }

        @Override
        public Optional<String> nodeId() {
            return Optional.empty();
        }

        @Override
        public boolean isOwned() {
            return !isClosed;
        }

        @Override
        public OptionalLong usableBytes() {
            return OptionalLong.empty();
        }

        @Override
        public String place() {
            return "memory:heap";
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private static final class HeapLog implements RecordLog, RecordHome {
        private IOException refusal;
        private boolean isClosed;
        private long sequence;
        private volatile Runnable whenWriting = () -> {};
        private int writesInFlight = 1;
        private boolean forgets;
        private final Set<Version> forgotten = ConcurrentHashMap.newKeySet();

        private static final class HeapBatch extends Batch {
            HeapBatch(long sequence, Version first, int count) {
                super(sequence, first, count, count, null);
            }
        }

        @Override
        public void start(Rewriter rewriter) throws IOException {
            if (refusal != null) {
                throw refusal;
            }
        }

        @Override
        public int writesInFlight() {
            return writesInFlight;
        }

        @Override
        public void reserve(Version append) {
            // there is always room
        }

        @Override
        public void refund(Version append) {
            // there is always room
        }

        @Override
        public Batch layOut(Version first) {
            int count = 0;
            for (Version append = first; append != null; append = append.next()) {
                append.place(this, count++);
            }
            return new HeapBatch(++sequence, first, count);
        }

        @Override
        public void write(Batch batch) {
            whenWriting.run(); // the records are where they are
        }

        @Override
        public void durable(Batch batch, long durableSequence) {
            Version append = batch.first();
            for (int i = 0; forgets && i < batch.count(); i++) {
                if (append.previous() != null) {
                    forgotten.add(append.previous()); // as where its segment is used again
                }
                append = append.next();
            }
        }

        @Override
        public StateImage read(Version version) throws IOException {
            if (forgotten.contains(version)) {
                return null;
            }
            byte[] bytes = version.record();
            try {
                return RecordDecoder.imageOf(
                        bytes, 0, new RecordDecoder(STORE_ID).decodeHeader(bytes, 0, bytes.length));
            } catch (RecordDecoder.BadRecordException damaged) {
                throw new IOException(damaged);
            }
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }
}
