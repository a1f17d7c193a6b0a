package io.tallystick.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreHealth.State;
import io.tallystick.store.StoreIoException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers and lanes that an outage meets at one moment each, and outages that meet the store that was opened anew. */
@Timeout(120)
class ReopeningRacesTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final StateKey KEY = OutageServer.key(1);
    private static final StateKey OTHER = OutageServer.key(2);
    private static final StateKey THIRD = OutageServer.key(3);

    private final OutageServer server = new OutageServer();

    /** Its batch has landed, and its thread has not left the index yet when the outage of another lane comes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteThatHasLandedStaysWhileItsCallerIsOnItsWayIntoTheIndex(boolean wasThere) throws Exception {
        try (ObjectStore store = server.open(true)) {
            if (wasThere) {
                store.write(KEY, value(1), Durability.FORCED);
            }
            CountDownLatch gate = new CountDownLatch(1);
            server.holdInIndex(KEY, gate);
            Thread landed = started(() -> store.write(KEY, value(2), Durability.FORCED));
            await().atMost(MINUTE).until(() -> server.holds(KEY, 2));
            server.park(OTHER);
            Thread refused = started(() -> assertThatThrownBy(() -> store.write(OTHER, value(9), Durability.FORCED))
                    .isInstanceOf(StoreFailedException.class));
            await().atMost(MINUTE).until(() -> server.parked() == 1);
            server.failParked();
            await().atMost(MINUTE).until(() -> store.health().state() != State.OPEN);
            await().atMost(MINUTE)
                    .until(() -> OutageServer.isTryStuck() || store.health().state() != State.RECOVERING);
            gate.countDown();
            await().atMost(MINUTE).until(() -> store.health().state() != State.RECOVERING);
            landed.join();
            refused.join();
            assertThat(store.health().state()).isEqualTo(State.OPEN);
            assertThat(store.read(KEY)).contains(value(2));
            store.force();
            assertThat(server.holds(KEY, 2)).isTrue();
        }
    }

    /** A batch gets no answer on its lane, and a later version of the key, which holds it, lands on the other one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nobodyHearsThatNothingWasWrittenWhereALaterVersionHoldsIt(boolean isProven) throws Exception {
        server.isProven = isProven;
        try (ObjectStore store = server.open(true)) {
            List<Throwable> told = new CopyOnWriteArrayList<>();
            Thread first = parkedWrite(store, told);
            store.writeShadow(KEY, value(2), Durability.FORCED);
            server.failParked();
            first.join();
            await().atMost(MINUTE).until(() -> store.health().state() == State.OPEN);
            assertThat(store.read(KEY)).contains(value(1));
            assertThat(told).isEmpty();
        }
    }

    /** The same with a further version, which is under way too when the outage comes, and is not in the log. */
    @Test
    void nobodyHearsThatNothingWasWrittenWhereTheVersionBetweenHoldsIt() throws Exception {
        try (ObjectStore store = server.open(true)) {
            List<Throwable> told = new CopyOnWriteArrayList<>();
            Thread first = parkedWrite(store, told);
            store.writeShadow(KEY, value(2), Durability.FORCED);
            server.park(KEY);
            Thread third = started(() -> assertThatThrownBy(() -> store.writeShadow(KEY, value(3), Durability.FORCED))
                    .isInstanceOf(StoreFailedException.class));
            await().atMost(MINUTE).until(() -> server.parked() == 2);
            server.failParked();
            first.join();
            third.join();
            await().atMost(MINUTE).until(() -> store.health().state() == State.OPEN);
            assertThat(store.read(KEY)).contains(value(1));
            assertThat(store.readShadow(KEY)).contains(value(2));
            assertThat(told).isEmpty();
        }
    }

    /** Another caller has seen it, and has removed it. */
    @Test
    void nobodyHearsThatNothingWasWrittenWhereItWasRemovedSince() throws Exception {
        try (ObjectStore store = server.open(true)) {
            List<Throwable> told = new CopyOnWriteArrayList<>();
            Thread first = parkedWrite(store, told);
            assertThat(store.remove(KEY, Durability.FORCED)).isTrue();
            server.failParked();
            first.join();
            await().atMost(MINUTE).until(() -> store.health().state() == State.OPEN);
            assertThat(store.read(KEY)).isEmpty();
            assertThat(told).isEmpty();
        }
    }

    /** It finds the removal of another caller under way, which is refused: it removes the state by itself. */
    @Test
    void whoReliedOnAChangeThatWasRefusedMakesItByItself() throws Exception {
        try (ObjectStore store = server.open(true)) {
            store.write(KEY, value(1), Durability.FORCED);
            List<Thread> busy = parkBothLanes(store, StoreFailedException.class);
            CountDownLatch refused = new CountDownLatch(1);
            Thread remover = started(() -> {
                assertThatThrownBy(() -> store.remove(KEY, Durability.FORCED)).isInstanceOf(StoreFailedException.class);
                refused.countDown();
            });
            await().atMost(MINUTE).until(() -> remover.getState() == Thread.State.WAITING);
            Thread relying = started(() -> store.remove(KEY, Durability.FORCED));
            await().atMost(MINUTE).until(() -> relying.getState() == Thread.State.WAITING);
            server.failParked();
            relying.join();
            remover.join();
            for (Thread each : busy) {
                each.join();
            }
            assertThat(refused.getCount()).isZero();
            assertThat(store.read(KEY)).isEmpty();
            assertThat(server.isAbsent(KEY)).isTrue();
        }
    }

    /** Its thread stands between the queue and the index when the outage comes, and returns normally afterwards. */
    @Test
    void aDeferredWriteOfANewKeyThatReturnsStays() throws Exception {
        try (ObjectStore store = server.open(true)) {
            List<Thread> busy = parkBothLanes(store, StoreFailedException.class);
            CountDownLatch gate = new CountDownLatch(1);
            StateKey fourth = OutageServer.key(64);
            server.holdInIndex(fourth, gate);
            Thread deferred = started(() -> store.write(fourth, value(4), Durability.DEFERRED));
            await().atMost(MINUTE).until(() -> deferred.getState() == Thread.State.WAITING);
            server.failParked();
            await().atMost(MINUTE).until(() -> store.health().state() != State.OPEN);
            await().atMost(MINUTE)
                    .until(() -> OutageServer.isTryStuck() || store.health().state() != State.RECOVERING);
            gate.countDown();
            deferred.join();
            for (Thread each : busy) {
                each.join();
            }
            await().atMost(MINUTE).until(() -> store.health().state() == State.OPEN);
            store.force();
            assertThat(server.holds(fourth, 4)).isTrue();
        }
    }

    /** It has landed, and waits for the batch before it, which never does. */
    @Test
    void aForcedWriteReturnsWhenTheDeferredOneBeforeItIsInTheLogToo() throws Exception {
        try (ObjectStore store = server.open(true)) {
            server.park(KEY);
            store.write(KEY, value(1), Durability.DEFERRED);
            await().atMost(MINUTE).until(() -> server.parked() == 1);
            Thread forced = started(() -> store.write(OTHER, value(2), Durability.FORCED));
            await().atMost(MINUTE).until(() -> server.holds(OTHER, 2));
            server.park(KEY);
            server.failParked();
            await().atMost(MINUTE).until(() -> server.parked() == 1 && server.isEpoch(2));
            State whileItWaits = store.health().state();
            boolean isWaiting = forced.isAlive();
            server.letParkedGo();
            forced.join();
            assertThat(server.holds(KEY, 1)).isTrue();
            assertThat(whileItWaits).isEqualTo(State.RECOVERING);
            assertThat(isWaiting).isTrue();
            await().atMost(MINUTE).until(() -> store.health().state() == State.OPEN);
        }
    }

    /** What a try has repeated before it met an outage may be in the log, or not: neither is a loss. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void anOutageWhileDeferredChangesAreRepeatedIsNotTheEnd(boolean lands, boolean isRemoval) throws Exception {
        try (ObjectStore store = server.open(false)) {
            store.write(KEY, value(1), Durability.FORCED);
            List<Thread> busy = parkBothLanes(store, OutcomeUnknownException.class);
            if (isRemoval) {
                store.remove(KEY, Durability.DEFERRED);
            } else {
                store.write(KEY, value(2), Durability.DEFERRED);
            }
            server.failLater(1, lands);
            server.failParked();
            await().atMost(MINUTE)
                    .until(() -> server.isEpoch(3) || store.health().state() == State.FAILED);
            await().atMost(MINUTE).until(() -> store.health().state() != State.RECOVERING);
            assertThat(store.health().state()).isEqualTo(State.OPEN);
            assertThat(store.read(KEY).isEmpty()).isEqualTo(isRemoval);
            assertThat(isRemoval ? server.isAbsent(KEY) : server.holds(KEY, 2)).isTrue();
            store.write(THIRD, value(3), Durability.FORCED);
            for (Thread each : busy) {
                each.join();
            }
        }
    }

    /** The log is another's before the store that was opened anew has repeated what readers have seen. */
    @Test
    void aLossWhileDeferredChangesAreRepeatedIsKnown() {
        ObjectStore store = server.open(false);
        server.park(KEY);
        store.write(KEY, value(1), Durability.DEFERRED);
        await().atMost(MINUTE).until(() -> server.parked() == 1);
        server.isTakenWhenReopened = true;
        server.failParked();
        await().atMost(MINUTE).until(() -> store.health().state() == State.FAILED);
        assertThatThrownBy(() -> store.statusOf(THIRD)).isInstanceOf(StoreFencedException.class);
        assertThat(store.failure()).get().isInstanceOf(StoreFencedException.class);
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
    }

    @Test
    void aStoreThatCannotServeAgainProvesNothing() {
        ObjectStore store = server.open(false);
        server.goOut(1);
        assertThatThrownBy(() -> store.write(KEY, value(1), Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);
        server.isBroken = true;
        await().atMost(MINUTE).until(() -> store.health().state() == State.FAILED);
        assertThatThrownBy(store::proveOwned).isInstanceOf(StoreIoException.class);
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
    }

    /** A caller of a write whose batch waits, and what it hears but success. */
    private Thread parkedWrite(ObjectStore store, List<Throwable> told) {
        server.park(KEY);
        Thread caller = new Thread(() -> store.write(KEY, value(1), Durability.FORCED));
        caller.setUncaughtExceptionHandler((thread, error) -> told.add(error));
        caller.start();
        await().atMost(MINUTE).until(() -> server.parked() == 1);
        return caller;
    }

    /** Two callers whose batches wait: what is queued now is taken by nobody. */
    private List<Thread> parkBothLanes(ObjectStore store, Class<? extends StoreException> heard) {
        server.park(OTHER, THIRD);
        Thread first = started(() -> assertThatThrownBy(() -> store.write(OTHER, value(9), Durability.FORCED))
                .isInstanceOf(heard));
        await().atMost(MINUTE).until(() -> server.parked() == 1);
        Thread second = started(() -> assertThatThrownBy(() -> store.write(THIRD, value(9), Durability.FORCED))
                .isInstanceOf(heard));
        await().atMost(MINUTE).until(() -> server.parked() == 2);
        return List.of(first, second);
    }

    private static Thread started(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        return thread;
    }

    private static byte[] value(int number) {
        return new byte[] {(byte) number};
    }
}
