package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StageCompleter;
import io.tallystick.store.spi.StateImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AppendQueueTest {
    private final AppendQueue queue = new AppendQueue();

    @Test
    void givesEverythingInTheOrderOfThePushesAndIsEmptyThen() {
        List<PendingAppend> pushed = List.of(deferred(), forced(), asynchronous(), forced());
        pushed.forEach(queue::push);

        List<PendingAppend> taken = new ArrayList<>();
        for (PendingAppend append = queue.takeAll(); append != null; append = append.next()) {
            taken.add(append);
        }

        assertThat(taken).containsExactlyElementsOf(pushed);
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.takeAll()).isNull();
    }

    @Test
    void isUrgentFromTheFirstAppendOnThatIsNotDeferred() {
        queue.push(deferred());
        assertThat(queue.hasUrgent()).isFalse();

        queue.push(asynchronous());
        queue.push(deferred());

        assertThat(queue.hasUrgent()).isTrue();
    }

    @Test
    void isAwaitedFromTheFirstAppendOnWhoseCallerWaits() {
        queue.push(deferred());
        queue.push(asynchronous());
        assertThat(queue.hasAwaited()).isFalse();

        queue.push(forced());
        queue.push(asynchronous());

        assertThat(queue.hasAwaited()).isTrue();
    }

    @Test
    void aBarrierIsAwaited() {
        queue.push(PendingAppend.barrier());

        assertThat(queue.hasAwaited()).isTrue();
        assertThat(queue.hasUrgent()).isTrue();
    }

    @Test
    void countsTheAppendsThatAreToBeOnDiskSoon() {
        queue.push(deferred());
        assertThat(queue.committers()).isZero();
        queue.push(forced());
        PendingAppend deferred = deferred();
        queue.push(deferred);
        assertThat(deferred.committers()).isOne();
        PendingAppend asynchronous = asynchronous();
        queue.push(asynchronous);
        assertThat(asynchronous.committers()).isEqualTo(2);
        assertThat(queue.committers()).isEqualTo(2);

        queue.takeAll();
        assertThat(queue.committers()).isZero();
        PendingAppend next = forced();
        queue.push(next);
        assertThat(next.committers()).isOne();
        queue.sealAndTake();
        assertThat(queue.committers()).isZero();
    }

    @Test
    void nothingIsUrgentOrAwaitedAnyMoreWhenEverythingWasTaken() {
        queue.push(forced());
        queue.takeAll();
        queue.push(deferred());

        assertThat(queue.hasUrgent()).isFalse();
        assertThat(queue.hasAwaited()).isFalse();
    }

    @Test
    void takesNothingOnceItIsSealedAndGivesWhatItHad() {
        PendingAppend last = forced();
        queue.push(last);
        assertThat(queue.sealIfEmpty()).isFalse();

        assertThat(queue.sealAndTake()).isSameAs(last);

        assertThat(queue.push(forced())).isFalse();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.hasUrgent()).isFalse();
        assertThat(queue.hasAwaited()).isFalse();
        assertThat(queue.sealIfEmpty()).isTrue();
        assertThat(queue.sealAndTake()).isNull();
    }

    private static PendingAppend forced() {
        return PendingAppend.of(
                StateKey.of("/Type", ObjectId.of(new byte[] {1})),
                StateImage.ABSENT.write(new byte[8]),
                new byte[64],
                false);
    }

    private static PendingAppend deferred() {
        return PendingAppend.of(
                StateKey.of("/Type", ObjectId.of(new byte[] {1})),
                StateImage.ABSENT.write(new byte[8]),
                new byte[64],
                true);
    }

    private static PendingAppend asynchronous() {
        PendingAppend append = forced();
        try (StageCompleter stages = new StageCompleter("append-queue-test", Optional.empty())) {
            append.completeWhenSettled(stages.newStage());
        }
        return append;
    }
}
