package io.tallystick.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreHealth.State;
import io.tallystick.store.log.ReopeningStore.Reopened;
import io.tallystick.store.log.ReopeningStore.Reopener;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.spi.RecordHome;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store over a server in memory that goes out while batches are under way, and has some of them. */
@Timeout(120)
class ReopeningStoreTest {
    private static final UUID ID = new UUID(1, 2);
    private static final byte[] STORE_ID =
            ByteBuffer.allocate(16).putLong(1).putLong(2).array();
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int THREADS = 4;
    private static final int KEYS_OF_A_THREAD = 3;
    private static final int OUTAGES = 3;

    private final Server server = new Server();

    /** Each thread has keys of its own, and knows which values each of them may have. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachStateHasAValueThatItsCallersWereTold(boolean holdsUnknown) throws Exception {
        List<Caller> callers = new ArrayList<>();
        try (ObjectStore store = open(holdsUnknown)) {
            AtomicBoolean isOver = new AtomicBoolean();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Caller caller = new Caller(store, i, isOver);
                callers.add(caller);
                Thread thread = new Thread(caller);
                threads.add(thread);
                thread.start();
            }
            for (int outage = 0; outage < OUTAGES; outage++) {
                int begun = server.batches();
                await().atMost(MINUTE).until(() -> server.batches() > begun + 50);
                server.goOut(1 + outage);
                await().atMost(MINUTE).until(() -> store.health().state() == State.RECOVERING);
                server.comeBack();
                await().atMost(MINUTE).until(() -> store.health().state() == State.OPEN);
            }
            isOver.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            for (Caller caller : callers) {
                caller.check();
            }
            assertThat(callers).anyMatch(caller -> caller.refusals > 0);
            if (holdsUnknown) {
                assertThat(callers).allMatch(caller -> caller.unknown == 0);
            }
        }
        try (ObjectStore next = open(true)) {
            for (Caller caller : callers) {
                caller.checkIn(next);
            }
        }
    }

    @Test
    void aLogThatLacksAnAcknowledgedStateIsNotServedFrom() {
        ObjectStore store = open(true);
        store.write(key(1), new byte[] {1}, Durability.FORCED);
        server.goOut(1);
        Thread held = new Thread(() -> assertThatThrownBy(() -> store.write(key(2), new byte[] {2}, Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class));
        held.start();
        await().atMost(MINUTE).until(() -> store.health().state() == State.RECOVERING);
        server.lose(key(1));
        server.comeBack();
        await().atMost(MINUTE).until(() -> store.health().state() == State.FAILED);
        await().atMost(MINUTE).until(() -> !held.isAlive());
        assertThat(store.failure()).get().isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> store.statusOf(key(9))).isInstanceOf(StoreException.class);
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
    }

    @Test
    void aLogOfAnotherOwnerIsLeft() {
        ObjectStore store = open(false);
        store.write(key(1), new byte[] {1}, Durability.FORCED);
        server.goOut(1);
        assertThatThrownBy(() -> store.write(key(2), new byte[] {2}, Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);
        server.isTaken = true;
        server.comeBack();
        await().atMost(MINUTE).until(() -> store.health().state() == State.FAILED);
        assertThatThrownBy(() -> store.write(key(3), new byte[] {3}, Durability.FORCED))
                .isInstanceOf(StoreFencedException.class);
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
    }

    /** The first thread that closes waits for a try to open the log, which may take as long as a connection. */
    @Test
    void whoReturnsFromCloseMeetsAClosedStoreWhileAnotherThreadStillCloses() throws Exception {
        ObjectStore store = open(false);
        store.write(key(1), new byte[] {1}, Durability.FORCED);
        server.goOut(1);
        assertThatThrownBy(() -> store.write(key(2), new byte[] {2}, Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);
        Thread first = new Thread(() -> assertThatThrownBy(store::close).isInstanceOf(StoreException.class));
        synchronized (server) {
            await().atMost(MINUTE).until(ReopeningStoreTest::isTryStuck);
            first.start();
            await().atMost(MINUTE).until(() -> first.getState() == Thread.State.WAITING);
            store.close();

            assertThat(first.isAlive()).isTrue();
            assertThatThrownBy(() -> store.read(key(1))).isInstanceOf(StoreClosedException.class);
            assertThatThrownBy(() -> store.write(key(3), new byte[] {3}, Durability.FORCED))
                    .isInstanceOf(StoreClosedException.class);
            assertThat(store.writeAsync(key(3), new byte[] {3}).toCompletableFuture())
                    .isCompletedExceptionally();
        }
        first.join();
    }

    /** A beat has found out, and the thread that reopens waits for its next try. */
    @Test
    void aLossThatIsNoticedInAnOutageIsTheReasonFromThatMomentOn() {
        ObjectStore store = open(false);
        server.goOut(1);
        assertThatThrownBy(() -> store.write(key(1), new byte[] {1}, Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);
        synchronized (server) {
            await().atMost(MINUTE).until(ReopeningStoreTest::isTryStuck);
            server.failed.failStop(new RecordLog.NotWrittenException("taken", true, null));

            assertThat(store.health().state()).isEqualTo(State.FAILED);
            assertThat(store.failure()).get().isInstanceOf(StoreFencedException.class);
            assertThat(store.health().failure()).get().isInstanceOf(StoreFencedException.class);
            assertThatThrownBy(() -> store.write(key(2), new byte[] {2}, Durability.FORCED))
                    .isInstanceOf(StoreFencedException.class);
        }
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
    }

    private static boolean isTryStuck() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("tallystick-reopening")
                        && thread.getState() == Thread.State.BLOCKED);
    }

    private ObjectStore open(boolean holdsUnknown) {
        try {
            return ReopeningStore.over(server.reopen(Optional.empty()).store(), server, holdsUnknown, NanoClock.SYSTEM);
        } catch (IOException refused) {
            throw new IllegalStateException(refused);
        }
    }

    private static StateKey key(int number) {
        return StateKey.of("/Type", ObjectId.of(new byte[] {(byte) number}));
    }

    /** A caller with keys of its own. */
    private static final class Caller implements Runnable {
        private final ObjectStore store;
        private final int number;
        private final AtomicBoolean isOver;
        private final Random random;
        // By key: the values that it may have; null for none.
        private final Map<StateKey, List<byte[]>> possible = new HashMap<>();
        // What a later process may see too: the store has set it aside.
        private final Map<StateKey, byte[]> aside = new HashMap<>();
        private int refusals;
        private int unknown;

        Caller(ObjectStore store, int number, AtomicBoolean isOver) {
            this.store = store;
            this.number = number;
            this.isOver = isOver;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            while (!isOver.get()) {
                StateKey key = key(number * KEYS_OF_A_THREAD + random.nextInt(KEYS_OF_A_THREAD));
                byte[] value = random.nextInt(3) == 0 ? null : new byte[] {(byte) random.nextInt()};
                change(key, value, random.nextInt(3) == 0 ? Durability.DEFERRED : Durability.FORCED);
            }
        }

        private void change(StateKey key, byte[] value, Durability durability) {
            List<byte[]> before = possible.getOrDefault(key, one(null));
            try {
                if (value == null) {
                    store.remove(key, durability);
                } else {
                    store.write(key, value, durability);
                }
                possible.put(key, one(value));
                aside.remove(key);
            } catch (OutcomeUnknownException nobodyKnows) {
                unknown++;
                List<byte[]> both = new ArrayList<>(before);
                both.add(value);
                possible.put(key, both);
                if (value != null) {
                    aside.put(key, value);
                }
            } catch (StoreFailedException nothingWritten) {
                refusals++;
                Thread.yield();
            }
        }

        private static List<byte[]> one(byte[] value) {
            List<byte[]> values = new ArrayList<>();
            values.add(value);
            return values;
        }

        void check() {
            checkIn(store);
        }

        void checkIn(ObjectStore seen) {
            possible.forEach((key, values) -> {
                byte[] found = seen.read(key).orElse(null);
                assertThat(values)
                        .as("%s has %s", key, Arrays.toString(found))
                        .anyMatch(value -> Arrays.equals(value, found));
            });
        }
    }

    /** The server with its log: it knows records by key, and one owner. */
    private static final class Server implements Reopener {
        private final Map<StateKey, byte[]> records = new HashMap<>();
        private Random random = new Random(0);
        private int epoch;
        private int batches;
        private boolean isOut;
        private volatile boolean isTaken;
        // Of the try that is under way.
        private volatile LogStore failed;

        private static final class OutException extends IOException {
            private static final long serialVersionUID = 1L;
        }

        synchronized int batches() {
            return batches;
        }

        synchronized void goOut(long seed) {
            random = new Random(seed);
            isOut = true;
        }

        synchronized void comeBack() {
            isOut = false;
        }

        synchronized void lose(StateKey key) {
            records.remove(key);
        }

        synchronized void write(RecordLog.Batch batch, int of) throws IOException {
            if (of != epoch) {
                throw new RecordLog.NotWrittenException("another epoch", true, null);
            }
            batches++;
            if (!isOut || random.nextBoolean()) {
                Version append = batch.first();
                for (int i = 0; i < batch.count(); i++) {
                    if (append.isTombstone()) {
                        records.remove(append.key());
                    } else {
                        records.put(append.key(), append.record());
                    }
                    append = append.next();
                }
            }
            if (isOut) {
                throw new OutException();
            }
        }

        @Override
        public boolean isOutage(Throwable cause) {
            return cause instanceof OutException;
        }

        @Override
        public Optional<Reopened> tryReopen(LogStore failed) throws IOException {
            this.failed = failed;
            synchronized (this) {
                if (isOut) {
                    return Optional.empty();
                }
            }
            if (isTaken) {
                throw new RecordLog.NotWrittenException("taken", true, null);
            }
            return Optional.of(reopen(Optional.of(failed)));
        }

        Reopened reopen(Optional<LogStore> failed) throws IOException {
            ConcurrentHashMap<StateKey, Version> index = new ConcurrentHashMap<>();
            ServerLog log;
            synchronized (this) {
                log = new ServerLog(this, ++epoch);
                for (Map.Entry<StateKey, byte[]> each : records.entrySet()) {
                    byte[] bytes = each.getValue();
                    try {
                        index.put(
                                each.getKey(),
                                Version.recovered(
                                        new RecordDecoder(STORE_ID).decodeHeader(bytes, 0, bytes.length),
                                        bytes,
                                        log,
                                        0));
                    } catch (RecordDecoder.BadRecordException damaged) {
                        throw new IOException(damaged);
                    }
                }
            }
            Reconciliation settled =
                    failed.map(store -> store.compareWith(index)).orElse(null);
            if (settled != null && settled.lost().isPresent()) {
                throw new RecordLog.LogLostException("lacks " + settled.lost().get());
            }
            StatisticsRecorder statistics = new StatisticsRecorder();
            LogSettings settings = new LogSettings(
                    "test",
                    STORE_ID,
                    1000,
                    WaitStrategy.EXPECTED_END,
                    Optional.empty(),
                    NanoClock.SYSTEM,
                    statistics,
                    new StoreDescription(
                            "server", Optional.empty(), Optional.empty(), Optional.empty(), "server", "", ""));
            LogStore store = LogStore.open(
                    log, index, new Place(), settings, statistics.events().beginRecovery());
            return new Reopened(store, settled);
        }

        @Override
        public String obstacle() {
            return "";
        }

        @Override
        public String place() {
            return "memory:server";
        }
    }

    /** A log on the server. */
    private static final class ServerLog implements RecordLog, RecordHome {
        private static final int MOST_APPENDS = 3;

        private final Server server;
        private final int epoch;
        private long sequence;

        private static final class ServerBatch extends Batch {
            ServerBatch(long sequence, Version first, int count, Version rest) {
                super(sequence, first, count, count, rest);
            }
        }

        ServerLog(Server server, int epoch) {
            this.server = server;
            this.epoch = epoch;
        }

        @Override
        public boolean isRemote() {
            return true;
        }

        @Override
        public int writesInFlight() {
            return 2;
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
            Version append = first;
            while (append != null && count < MOST_APPENDS) {
                append.place(this, count++);
                append = append.next();
            }
            return new ServerBatch(++sequence, first, count, append);
        }

        @Override
        public void write(Batch batch) throws IOException {
            server.write(batch, epoch);
        }

        @Override
        public void durable(Batch batch, long durableSequence) {
            // nothing is counted
        }

        @Override
        public StateImage read(Version version) throws IOException {
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
            // the server goes on
        }
    }

    /** A place in memory. */
    private static final class Place implements LogHome {
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
            return true;
        }

        @Override
        public OptionalLong usableBytes() {
            return OptionalLong.empty();
        }

        @Override
        public String place() {
            return "memory:server";
        }

        @Override
        public void close() {
            // memory goes by itself
        }
    }
}
