package io.tallystick.store.journal.artemis.room;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The protocol between callers that ask for room and the housekeeper that answers. */
@Timeout(120)
class RoomRequestsTest {
    private static final Shortfall MISSING = Shortfall.ofRoom("as the test says");

    private final AtomicLong nanos = new AtomicLong();
    private final RoomRequests requests = new RoomRequests(nanos::get);

    @Test
    void theHousekeeperTakesTheLargestRequestOfAllAndOfRemovals() {
        requests.placeForRoom(1000, true);
        requests.placeForRoom(3000, false);
        requests.placeForSpareFile();

        assertThat(requests.takeAll()).isEqualTo(new RoomRequests.Taken(3, 3000, 1000));
        assertThat(requests.takeAll()).isEqualTo(new RoomRequests.Taken(3, 0, 0));
    }

    @Test
    void anAnswerIsForAllTicketsUpToItsOwn() {
        long first = requests.placeForRoom(1000, true);
        long second = requests.placeForRoom(1000, true);
        requests.answer(requests.takeAll().lastTicket(), MISSING);

        assertThat(requests.await(first, () -> false)).isSameAs(MISSING);
        assertThat(requests.await(second, () -> false)).isSameAs(MISSING);
    }

    @Test
    void aRequestThatCameAfterTheHousekeeperTookTheOthersWaitsForTheNextAnswer() throws Exception {
        requests.placeForRoom(1000, true);
        RoomRequests.Taken taken = requests.takeAll();
        long late = requests.placeForRoom(1000, true);
        requests.answer(taken.lastTicket(), MISSING);
        CompletableFuture<Shortfall> answer = new CompletableFuture<>();
        Thread caller = started(() -> answer.complete(requests.await(late, () -> false)));

        awaitWaiting(caller);
        assertThat(answer).isNotDone();
        requests.answer(requests.takeAll().lastTicket(), Shortfall.NONE);

        assertThat(answer.get(60, TimeUnit.SECONDS)).isSameAs(Shortfall.NONE);
    }

    @Test
    void aCallerThatHasGotWhatItNeedsDoesNotWaitForTheAnswer() throws Exception {
        AtomicBoolean isThere = new AtomicBoolean();
        long ticket = requests.placeForSpareFile();
        CompletableFuture<Shortfall> answer = new CompletableFuture<>();
        Thread caller = started(() -> answer.complete(requests.await(ticket, isThere::get)));
        awaitWaiting(caller);

        isThere.set(true);
        requests.wakeCallers();

        assertThat(answer.get(60, TimeUnit.SECONDS)).isSameAs(Shortfall.NONE);
    }

    @Test
    void aCallerLosesPatienceAfterTheNamedTime() {
        long ticket = requests.placeForSpareFile();

        Shortfall answer = requests.await(ticket, () -> {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(RoomRequests.PATIENCE_SECONDS));
            return false;
        });

        assertThat(answer).isEqualTo(Shortfall.ofRoom("no file was made within 120 s"));
    }

    @Test
    void closingAnswersCallersThatWaitAndThoseToCome() throws Exception {
        long ticket = requests.placeForRoom(1000, false);
        CompletableFuture<Shortfall> answer = new CompletableFuture<>();
        awaitWaiting(started(() -> answer.complete(requests.await(ticket, () -> false))));

        requests.close();

        answer.get(60, TimeUnit.SECONDS);
        requests.await(requests.placeForRoom(1000, false), () -> false);
    }

    @Test
    void anInterruptedCallerGetsItsAnswerAndFindsItsFlagSet() throws Exception {
        long ticket = requests.placeForRoom(1000, false);
        CompletableFuture<Boolean> wasInterrupted = new CompletableFuture<>();
        Thread caller = started(() -> {
            requests.await(ticket, () -> false);
            wasInterrupted.complete(Thread.interrupted());
        });
        awaitWaiting(caller);
        caller.interrupt();
        requests.answer(ticket, MISSING);

        assertThat(wasInterrupted.get(60, TimeUnit.SECONDS)).isTrue();
    }

    private static Thread started(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void awaitWaiting(Thread caller) {
        while (caller.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
