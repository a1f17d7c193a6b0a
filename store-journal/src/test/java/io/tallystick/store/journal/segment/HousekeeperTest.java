package io.tallystick.store.journal.segment;

import static io.tallystick.store.journal.segment.SegmentFixture.image;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.StateKey;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.log.spi.RecordLog.Carried;
import io.tallystick.store.log.spi.RecordLog.Rewriter;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the housekeeper thread starts, and what ends it. */
@Timeout(120)
class HousekeeperTest {
    private final Queue queue = new Queue();
    private SegmentFixture fixture;
    private RoomRequests requests;
    private Housekeeper housekeeper;

    /** The queue of the store; the test makes its force fail. */
    private static final class Queue implements Rewriter {
        private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        private volatile RuntimeException thrownByForce;

        @Override
        public Version latest(StateKey key) {
            return null;
        }

        @Override
        public long rewrite(List<Carried> records) {
            return 0;
        }

        @Override
        public void force() {
            if (thrownByForce != null) {
                throw thrownByForce;
            }
        }

        @Override
        public void failStop(Throwable cause) {
            failures.add(cause);
        }

        @Override
        public boolean hasFailed() {
            return !failures.isEmpty();
        }
    }

    @BeforeEach
    void makeHousekeeper() throws IOException {
        fixture = new SegmentFixture();
        requests = new RoomRequests(fixture.lock, SegmentFixture.PLAN, fixture.room, fixture.reserves, fixture.ring);
        housekeeper = Housekeeper.of(
                new Housekeeper.Workplace(SegmentFixture.DIRECTORY, fixture.ring, fixture.factory, requests),
                queue,
                new SegmentScanner(SegmentFixture.STORE_ID),
                StoreEvents.flightRecorder("test"));
    }

    @AfterEach
    void end() {
        requests.close();
        housekeeper.end();
    }

    private void awaitSpares() {
        while (fixture.ring.spares() < HousekeepingSnapshot.SPARES) {
            Thread.onSpinWait();
        }
    }

    @Test
    void itIsADaemonAndDoesNothingBeforeItsStart() {
        assertThat(housekeeper.isDaemon())
                .as("it never keeps the process alive")
                .isTrue();
        assertThat(housekeeper.getState()).isEqualTo(Thread.State.NEW);
        assertThat(fixture.ring.spares()).isZero();
    }

    @Test
    void itMakesTheMissingSparesOnceItIsStarted() {
        housekeeper.start();

        awaitSpares();
        assertThat(queue.hasFailed()).isFalse();
    }

    @Test
    void theEndOfAHousekeeperThatWasNeverStartedReturnsAtOnce() {
        housekeeper.end();

        assertThat(housekeeper.getState()).isEqualTo(Thread.State.NEW);
    }

    @Test
    void theEndWaitsForTheThread() {
        housekeeper.start();
        awaitSpares();

        requests.close();
        housekeeper.end();

        assertThat(housekeeper.isAlive()).isFalse();
        assertThat(queue.hasFailed()).as("closing is no failure").isFalse();
    }

    @Test
    void aClosingThreadThatIsInterruptedStillWaitsAndStaysInterrupted() throws InterruptedException {
        housekeeper.start();
        awaitSpares();
        AtomicBoolean hadEnded = new AtomicBoolean();
        AtomicBoolean isInterrupted = new AtomicBoolean();
        Thread closing = new Thread(() -> {
            Thread.currentThread().interrupt();
            housekeeper.end();
            hadEnded.set(!housekeeper.isAlive());
            isInterrupted.set(Thread.interrupted());
        });
        fixture.lock.lock(); // the housekeeper cannot end meanwhile
        try {
            requests.close();
            closing.start();
            while (closing.getState() != Thread.State.WAITING && closing.isAlive()) {
                Thread.onSpinWait();
            }
        } finally {
            fixture.lock.unlock();
        }
        closing.join();

        assertThat(hadEnded).isTrue();
        assertThat(isInterrupted).isTrue();
    }

    @Test
    void anInterruptDoesNotEndIt() throws IOException {
        housekeeper.start();
        awaitSpares();

        housekeeper.interrupt();

        assertThat(housekeeper.isInterrupted()).isFalse();
        fixture.ring.takeSpare();
        requests.rouseHousekeeper();
        awaitSpares();
    }

    @Test
    void aFailureThatIsNotTheStoresOwnFailsTheStoreAndLetsCallersGo() throws InterruptedException {
        queue.thrownByForce = new IllegalStateException("thrown by the test");
        housekeeper.start();

        housekeeper.join();

        assertThat(queue.failures).containsExactly(queue.thrownByForce);
        assertThat(housekeeper.hasStoreFailed()).isTrue();
        requests.reserve(image(1, 100)); // no housekeeper would ever answer
    }

    @Test
    void aStoreThatHasFailedEndsItWithoutASecondFailure() throws InterruptedException {
        queue.thrownByForce = new StoreIoException("thrown by the test", null);
        housekeeper.start();

        housekeeper.join();

        assertThat(queue.failures).isEmpty();
        requests.reserve(image(1, 100));
    }
}
