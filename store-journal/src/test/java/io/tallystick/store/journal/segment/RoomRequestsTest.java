package io.tallystick.store.journal.segment;

import static io.tallystick.store.journal.segment.SegmentFixture.BLOCK;
import static io.tallystick.store.journal.segment.SegmentFixture.image;
import static io.tallystick.store.journal.segment.SegmentFixture.removal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.StoreFullException;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers and a housekeeper that the test plays. */
@Timeout(120)
class RoomRequestsTest {
    private static final RoomRefusal FULL = new RoomRefusal("said by the test", null);

    private SegmentFixture fixture;
    private RoomRequests requests;
    private final AtomicReference<Throwable> refused = new AtomicReference<>();

    @BeforeEach
    void makeRequests() throws IOException {
        fixture = new SegmentFixture();
        requests = new RoomRequests(fixture.lock, SegmentFixture.PLAN, fixture.room, fixture.reserves, fixture.ring);
    }

    private Thread caller(Version append) {
        Thread caller = new Thread(() -> {
            try {
                requests.reserve(append);
            } catch (StoreFullException full) {
                refused.set(full);
            }
        });
        caller.start();
        return caller;
    }

    private void giveUpTo(long free) {
        fixture.room.give(free - fixture.room.free());
    }

    @Test
    void aRecordReservesTwiceItsPaddedLength() {
        assertThat(requests.charge(image(1, 100))).isEqualTo(2 * BLOCK);
        assertThat(requests.charge(image(1, BLOCK))).isEqualTo(4 * BLOCK);
    }

    @Test
    void aWriteLeavesMoreThanARemoval() throws Exception {
        long between = (fixture.reserves.floor(true, 200) + fixture.reserves.floor(false, 200)) / 2;
        giveUpTo(between + 2 * BLOCK);

        requests.reserve(removal(1));
        assertThat(fixture.room.free()).isEqualTo(between);

        giveUpTo(between + 2 * BLOCK);
        Thread writer = caller(image(1, 100));
        requests.awaitWork();
        requests.answer(awaitTicket(1), FULL);
        writer.join();
        assertThat(refused.get()).isInstanceOf(StoreFullException.class).hasMessageContaining("said by the test");
        assertThat(fixture.room.free()).as("nothing was taken").isEqualTo(between + 2 * BLOCK);
    }

    private long awaitTicket(long ticket) {
        while (requests.lastTicket() < ticket) {
            Thread.onSpinWait();
        }
        return ticket;
    }

    @Test
    void aCallerGetsTheRoomThatTheHousekeeperMakesAndSaysHowMuchItWants() throws Exception {
        Thread writer = caller(image(1, 100));
        long ticket = awaitTicket(1);
        long wanted = requests.snapshot().room().wanted();
        assertThat(wanted).isGreaterThanOrEqualTo(2 * BLOCK);

        giveUpTo(wanted);
        requests.answer(ticket, null);
        writer.join();

        assertThat(refused.get()).isNull();
        assertThat(fixture.room.free()).isEqualTo(wanted - 2 * BLOCK);
        assertThat(requests.snapshot().room().wanted()).isZero();
    }

    @Test
    void aRemovalAsksAgainBeforeItGivesUp() throws Exception {
        Thread remover = caller(removal(1));
        for (long ticket = 1; ticket < 10; ticket++) {
            requests.answer(awaitTicket(ticket), FULL);
        }
        awaitTicket(10);
        assertThat(remover.isAlive()).isTrue();

        giveUpTo(requests.snapshot().room().wanted());
        requests.answer(10, null);
        remover.join();
        assertThat(refused.get()).isNull();
    }

    @Test
    void callersGoWhenTheHousekeeperHasBrokenDown() throws Exception {
        Thread writer = caller(image(1, 100));
        awaitTicket(1);

        requests.breakDown(new IOException("thrown by the test"));

        writer.join();
        assertThat(refused.get()).as("the sealed queue says why").isNull();
    }

    @Test
    void callersAndTheHousekeeperGoWhenTheStoreIsClosed() throws Exception {
        Thread writer = caller(image(1, 100));
        awaitTicket(1);

        requests.close();

        writer.join();
        assertThat(requests.awaitWork()).isFalse();
        assertThat(requests.snapshot().isShort()).isFalse();
    }

    @Test
    void aRefusalNamesTheFailureOfTheDisk() {
        IOException failure = new IOException("thrown by the test");

        assertThat(new RoomRefusal("because", failure).toException(SegmentFixture.DIRECTORY))
                .isNotInstanceOf(StoreFullException.class)
                .hasMessageContaining("nothing was written")
                .hasCause(failure);
        assertThatThrownBy(() -> {
                    throw FULL.toException(SegmentFixture.DIRECTORY);
                })
                .isInstanceOf(StoreFullException.class);
    }
}
