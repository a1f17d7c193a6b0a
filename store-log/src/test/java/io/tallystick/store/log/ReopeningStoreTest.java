package io.tallystick.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreHealth.State;
import io.tallystick.store.log.spi.RecordLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store over a server in memory that goes out while batches are under way, and has some of them. */
@Timeout(120)
class ReopeningStoreTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int THREADS = 4;
    private static final int KEYS_OF_A_THREAD = 3;
    private static final int OUTAGES = 3;

    private final OutageServer server = new OutageServer();

    /** Each thread has keys of its own, and knows which values each of them may have. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachStateHasAValueThatItsCallersWereTold(boolean holdsUnknown) throws Exception {
        List<Caller> callers = new ArrayList<>();
        try (ObjectStore store = server.open(holdsUnknown)) {
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
        try (ObjectStore next = server.open(true)) {
            for (Caller caller : callers) {
                caller.checkIn(next);
            }
        }
    }

    @Test
    void aLogThatLacksAnAcknowledgedStateIsNotServedFrom() {
        ObjectStore store = server.open(true);
        store.write(OutageServer.key(1), new byte[] {1}, Durability.FORCED);
        server.goOut(1);
        Thread held = new Thread(
                () -> assertThatThrownBy(() -> store.write(OutageServer.key(2), new byte[] {2}, Durability.FORCED))
                        .isInstanceOf(OutcomeUnknownException.class));
        held.start();
        await().atMost(MINUTE).until(() -> store.health().state() == State.RECOVERING);
        server.lose(OutageServer.key(1));
        server.comeBack();
        await().atMost(MINUTE).until(() -> store.health().state() == State.FAILED);
        await().atMost(MINUTE).until(() -> !held.isAlive());
        assertThat(store.failure()).get().isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> store.statusOf(OutageServer.key(9))).isInstanceOf(StoreException.class);
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
    }

    @Test
    void aLogOfAnotherOwnerIsLeft() {
        ObjectStore store = server.open(false);
        store.write(OutageServer.key(1), new byte[] {1}, Durability.FORCED);
        server.goOut(1);
        assertThatThrownBy(() -> store.write(OutageServer.key(2), new byte[] {2}, Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);
        server.isTaken = true;
        server.comeBack();
        await().atMost(MINUTE).until(() -> store.health().state() == State.FAILED);
        assertThatThrownBy(() -> store.write(OutageServer.key(3), new byte[] {3}, Durability.FORCED))
                .isInstanceOf(StoreFencedException.class);
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
    }

    /** The first thread that closes waits for a try to open the log, which may take as long as a connection. */
    @Test
    void whoReturnsFromCloseMeetsAClosedStoreWhileAnotherThreadStillCloses() throws Exception {
        ObjectStore store = server.open(false);
        store.write(OutageServer.key(1), new byte[] {1}, Durability.FORCED);
        server.goOut(1);
        assertThatThrownBy(() -> store.write(OutageServer.key(2), new byte[] {2}, Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);
        Thread first = new Thread(() -> assertThatThrownBy(store::close).isInstanceOf(StoreException.class));
        synchronized (server) {
            await().atMost(MINUTE).until(OutageServer::isTryStuck);
            first.start();
            await().atMost(MINUTE).until(() -> first.getState() == Thread.State.WAITING);
            store.close();

            assertThat(first.isAlive()).isTrue();
            assertThatThrownBy(() -> store.read(OutageServer.key(1))).isInstanceOf(StoreClosedException.class);
            assertThatThrownBy(() -> store.write(OutageServer.key(3), new byte[] {3}, Durability.FORCED))
                    .isInstanceOf(StoreClosedException.class);
            assertThat(store.writeAsync(OutageServer.key(3), new byte[] {3}).toCompletableFuture())
                    .isCompletedExceptionally();
        }
        first.join();
    }

    /** A beat has found out, and the thread that reopens waits for its next try. */
    @Test
    void aLossThatIsNoticedInAnOutageIsTheReasonFromThatMomentOn() {
        ObjectStore store = server.open(false);
        server.goOut(1);
        assertThatThrownBy(() -> store.write(OutageServer.key(1), new byte[] {1}, Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);
        synchronized (server) {
            await().atMost(MINUTE).until(OutageServer::isTryStuck);
            server.failed.failStop(new RecordLog.NotWrittenException("taken", true, null));

            assertThat(store.health().state()).isEqualTo(State.FAILED);
            assertThat(store.failure()).get().isInstanceOf(StoreFencedException.class);
            assertThat(store.health().failure()).get().isInstanceOf(StoreFencedException.class);
            assertThatThrownBy(() -> store.write(OutageServer.key(2), new byte[] {2}, Durability.FORCED))
                    .isInstanceOf(StoreFencedException.class);
        }
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
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
                StateKey key = OutageServer.key(number * KEYS_OF_A_THREAD + random.nextInt(KEYS_OF_A_THREAD));
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
}
