package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.spi.StateImage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class KeyTicketTest {
    private static final StateImage FIRST = StateImage.ABSENT.write(new byte[1]);
    private static final StateImage SECOND = StateImage.ABSENT.write(new byte[2]);

    @Test
    void theFirstTicketFindsNothingAndWaitsForNone() {
        KeyTicket ticket = KeyTicket.after(null);

        assertThat(ticket.await()).isSameAs(StoredState.NOTHING);
        assertThat(ticket.visible()).isSameAs(StoredState.NOTHING);
    }

    @Test
    void readersSeeTheImageFromBeforeUntilTheTicketIsSettled() {
        StoredState found = StoredState.inFile(FIRST);
        KeyTicket ticket = KeyTicket.after(KeyTicket.settled(found));
        assertThat(ticket.visible()).isSameAs(found);

        ticket.work(StoredState.inMemory(FIRST));
        assertThat(ticket.visible().imageInMemory()).isSameAs(FIRST);
        assertThat(ticket.isMet()).isFalse();

        StoredState left = StoredState.inFile(SECOND);
        ticket.settle(left);
        assertThat(ticket.visible()).isSameAs(left);
        assertThat(ticket.isMet()).isTrue();
    }

    @Test
    void readersOfAWaitingTicketSeeWhatTheTicketsBeforeShow() {
        KeyTicket first = KeyTicket.after(null);
        KeyTicket second = KeyTicket.after(first);
        KeyTicket third = KeyTicket.after(second);
        first.work(StoredState.inMemory(FIRST));
        assertThat(third.visible().imageInMemory()).isSameAs(FIRST);

        StoredState left = StoredState.inFile(SECOND);
        first.settle(left);
        assertThat(third.visible()).isSameAs(left);
    }

    /** An operation of unknown outcome leaves the image from before in memory, which it has shown all the time. */
    @Test
    void aTicketThatWorksIsNotSettledAlthoughItShowsWhatItWillLeave() throws Exception {
        KeyTicket first = KeyTicket.after(null);
        KeyTicket second = KeyTicket.after(first);
        StoredState fromBefore = StoredState.inMemory(FIRST);
        first.work(fromBefore);
        CompletableFuture<StoredState> found = CompletableFuture.supplyAsync(second::await);
        List<String> runs = new ArrayList<>();
        KeyTicket other = KeyTicket.after(first);
        other.whenReady(() -> {
            runs.add("other");
            return null;
        });
        assertThat(runs).isEmpty();
        assertThat(found).isNotDone();

        first.settle(fromBefore);

        assertThat(runs).containsExactly("other");
        assertThat(found.get(10, TimeUnit.SECONDS)).isSameAs(fromBefore);
    }

    @Test
    void aTicketWaitsForTheOneBeforeHoweverOftenItIsInterrupted() throws Exception {
        KeyTicket first = KeyTicket.after(null);
        KeyTicket second = KeyTicket.after(first);
        CompletableFuture<StoredState> found = new CompletableFuture<>();
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            found.complete(second.await());
            flag.complete(Thread.currentThread().isInterrupted());
        });
        waiter.start();
        for (int i = 0; i < 100; i++) {
            waiter.interrupt();
            Thread.onSpinWait();
        }
        assertThat(found).isNotDone();

        StoredState left = StoredState.inFile(FIRST);
        first.settle(left);

        assertThat(found.get(10, TimeUnit.SECONDS)).isSameAs(left);
        assertThat(flag.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aTaskRunsOnceWhenTheTicketBeforeIsSettled() {
        List<String> runs = new ArrayList<>();
        KeyTicket first = KeyTicket.after(null);
        KeyTicket second = KeyTicket.after(first);
        second.whenReady(() -> {
            runs.add("second");
            return null;
        });
        assertThat(runs).isEmpty();

        first.settle(StoredState.NOTHING);
        assertThat(runs).containsExactly("second");

        KeyTicket third = KeyTicket.after(first);
        third.whenReady(() -> {
            runs.add("third");
            return null;
        });
        assertThat(runs).containsExactly("second", "third");
    }

    @Test
    void aTaskRunsOnceWhoeverIsQuicker() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            KeyTicket first = KeyTicket.after(null);
            KeyTicket second = KeyTicket.after(first);
            AtomicReference<Integer> runs = new AtomicReference<>(0);
            Thread settler = new Thread(() -> first.settle(StoredState.NOTHING));
            settler.start();
            second.whenReady(() -> {
                runs.updateAndGet(count -> count + 1);
                return null;
            });
            settler.join();
            assertThat(runs.get()).isEqualTo(1);
        }
    }

    @Test
    void aThreadSleepsUntilTheTicketBeforeEndsAndIsWokenThen() throws Exception {
        KeyTicket first = KeyTicket.after(null);
        KeyTicket second = KeyTicket.after(first);
        Thread waiter = new Thread(second::await);
        waiter.setDaemon(true);
        waiter.start();
        while (waiter.getState() != Thread.State.WAITING) {
            assertThat(waiter.isAlive()).as("it waits").isTrue();
            Thread.onSpinWait();
        }

        first.settle(StoredState.NOTHING);

        waiter.join(TimeUnit.SECONDS.toMillis(10));
        assertThat(waiter.isAlive()).isFalse();
    }
}
