package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.spi.StateImage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class TurnTest {
    private static final StateImage FIRST = StateImage.ABSENT.write(new byte[1]);
    private static final StateImage SECOND = StateImage.ABSENT.write(new byte[2]);

    @Test
    void theFirstTurnFindsNothingAndWaitsForNobody() {
        Turn turn = Turn.after(null);

        assertThat(turn.await()).isSameAs(Held.NOTHING);
        assertThat(turn.visible()).isSameAs(Held.NOTHING);
    }

    @Test
    void readersSeeTheImageFromBeforeUntilTheTurnIsSettled() {
        Turn turn = Turn.after(Turn.settled(Held.inFile(FIRST)));
        assertThat(turn.visible()).isInstanceOf(Held.class);

        turn.work(FIRST);
        assertThat(turn.visible()).isSameAs(FIRST);

        Held held = Held.inFile(SECOND);
        turn.settle(held);
        assertThat(turn.visible()).isSameAs(held);
    }

    @Test
    void readersOfAWaitingTurnSeeWhatTheTurnsBeforeShow() {
        Turn first = Turn.after(null);
        Turn second = Turn.after(first);
        Turn third = Turn.after(second);
        first.work(FIRST);
        assertThat(third.visible()).isSameAs(FIRST);

        Held held = Held.inFile(SECOND);
        first.settle(held);
        assertThat(third.visible()).isSameAs(held);
    }

    @Test
    void aTurnWaitsForTheOneBeforeHoweverOftenItIsInterrupted() throws Exception {
        Turn first = Turn.after(null);
        Turn second = Turn.after(first);
        CompletableFuture<Held> found = new CompletableFuture<>();
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

        Held held = Held.inFile(FIRST);
        first.settle(held);

        assertThat(found.get(10, TimeUnit.SECONDS)).isSameAs(held);
        assertThat(flag.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aTaskRunsOnceWhenTheTurnBeforeIsSettled() {
        List<String> runs = new ArrayList<>();
        Turn first = Turn.after(null);
        Turn second = Turn.after(first);
        second.whenReady(() -> runs.add("second"));
        assertThat(runs).isEmpty();

        first.settle(Held.NOTHING);
        assertThat(runs).containsExactly("second");

        Turn third = Turn.after(first);
        third.whenReady(() -> runs.add("third"));
        assertThat(runs).containsExactly("second", "third");
    }

    @Test
    void aTaskRunsOnceWhoeverIsQuicker() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            Turn first = Turn.after(null);
            Turn second = Turn.after(first);
            AtomicReference<Integer> runs = new AtomicReference<>(0);
            Thread settler = new Thread(() -> first.settle(Held.NOTHING));
            settler.start();
            second.whenReady(() -> runs.updateAndGet(count -> count + 1));
            settler.join();
            assertThat(runs.get()).isEqualTo(1);
        }
    }
}
