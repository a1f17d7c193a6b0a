package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectId;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StageCompleter;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class GroupCommitTest {
    private final AtomicBoolean failingFirst = new AtomicBoolean();
    private static final int CROWD = WritePermits.CROWD;

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private final List<PendingAppend> forgotten = Collections.synchronizedList(new ArrayList<>());
    private volatile Consumer<PendingAppend> settleHook = append -> {};
    private final List<Throwable> backgroundFailures = Collections.synchronizedList(new ArrayList<>());
    private final List<Thread> threads = new ArrayList<>();
    private final RecordEncoder encoder = new RecordEncoder(new byte[16]);

    private final StageCompleter stages = new StageCompleter("group-commit-test", Optional.empty());

    private MemoryLog log;
    private GroupCommit commits;

    @AfterEach
    void end() {
        stages.close();
        joinAll();
        if (commits != null) {
            try {
                commits.close();
            } catch (StoreException failed) {
                assertThat(commits.failure()).isPresent();
            }
        }
    }

    @Test
    void loneCallerWritesOnItsOwnThread() {
        begin(1, NO_LIMIT);
        PendingAppend append = pushed(1, false);

        commits.await(append);

        assertThat(append.isDone()).isTrue();
        assertThat(log.written(0).writer()).isSameAs(Thread.currentThread());
    }

    @Test
    void afterACrowdTheWritingIsLeftToOneThreadUntilACommitterIsAloneAgain() {
        begin(1, NO_LIMIT);
        for (int round = 0; round < 3; round++) {
            crowd(100 * round);
            commits.await(pushed(100 * round + 50, false));
            assertThat(lastWriter()).isNotSameAs(Thread.currentThread());
        }

        int number = 1000;
        do {
            commits.await(pushed(number++, false));
        } while (lastWriter() != Thread.currentThread());
    }

    /** Makes the last batch one of many. */
    private void crowd(int firstNumber) {
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(gate);
        inBackground(() -> commits.await(pushed(firstNumber, false)));
        gate.awaitReached();
        List<PendingAppend> queued = new ArrayList<>();
        for (int i = 1; i <= CROWD; i++) {
            queued.add(pushed(firstNumber + i, false));
        }
        gate.open();
        queued.forEach(commits::await);
        assertThat(log.sizesWritten()).last().isEqualTo(CROWD);
    }

    private Thread lastWriter() {
        return log.written(log.sizesWritten().size() - 1).writer();
    }

    @Test
    void whatIsQueuedDuringAWriteMakesTheNextBatchInTheOrderOfTheQueue() {
        begin(1, NO_LIMIT);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(gate);
        inBackground(() -> commits.await(pushed(0, false)));
        gate.awaitReached();
        List<PendingAppend> queued = new ArrayList<>();
        for (int i = 1; i <= 10; i++) {
            queued.add(pushed(i, false));
        }
        assertThat(queued).noneMatch(PendingAppend::isDone);

        gate.open();
        queued.forEach(commits::await);

        assertThat(log.sizesWritten()).containsExactly(1, 10);
        Version append = log.written(1).first();
        assertThat(append).isSameAs(queued.get(0));
    }

    @Test
    void orderOfTheLogIsTheOrderOfTheQueueAndBatchesKeepTheirLimit() {
        begin(1, 3);
        List<Long> places = new ArrayList<>();
        List<PendingAppend> queued = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            queued.add(pushed(i, true));
        }
        commits.force();
        queued.forEach(append -> places.add(append.position()));

        assertThat(log.sizesWritten()).containsExactly(3, 3, 3, 1);
        assertThat(places).containsExactly(0L, 0L, 0L, 1L, 1L, 1L, 2L, 2L, 2L, 3L);
    }

    @Test
    void nothingSucceedsBeforeItsWriteHasReturned() {
        begin(1, NO_LIMIT);
        List<Boolean> doneDuringWrite = new ArrayList<>();
        log.intercept(batch -> doneDuringWrite.add(batch.first().isDone()));

        for (int i = 0; i < 20; i++) {
            commits.await(pushed(i, false));
        }

        assertThat(doneDuringWrite).hasSize(20).containsOnly(false);
    }

    @Test
    void neverMoreWritesThanTheLogTakes() {
        begin(2, 1);
        for (int t = 0; t < 6; t++) {
            int number = t;
            inBackground(() -> {
                for (int i = 0; i < 300; i++) {
                    commits.await(pushed(number * 1000 + i, i % 3 == 0));
                }
            });
        }
        joinAll();
        assertThat(log.mostWriting()).isBetween(1, 2);
    }

    @Test
    void barrierWaitsForABatchThatIsOvertaken() throws InterruptedException {
        begin(2, 1);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(batch -> {
            if (batch.sequence() == 1) {
                gate.write(batch);
            }
        });
        PendingAppend first = pushed(1, false);
        inBackground(() -> commits.await(first));
        gate.awaitReached();
        PendingAppend second = pushed(2, false);
        commits.await(second);
        assertThat(log.durableSequence()).isZero();
        CountDownLatch forced = new CountDownLatch(1);
        Thread forcing = inBackground(() -> {
            commits.force();
            forced.countDown();
        });
        // A barrier that is queued when the batch has landed does not wait until the caller of the batch is told.
        awaitTrue(() -> forcing.getState() == Thread.State.WAITING);
        commits.await(pushed(3, false));
        assertThat(forced.getCount()).isOne();
        assertThat(first.isDone()).isFalse();

        gate.open();
        forced.await();

        assertThat(first.isDone()).isTrue();
        assertThat(log.durableSequence()).isGreaterThanOrEqualTo(2);
    }

    /** The change was deferred, and its call had returned, before the forced one began. */
    @Test
    void aForcedCallerWaitsForADeferredChangeInABatchThatItsOwnHasOvertaken() throws InterruptedException {
        begin(2, 1);
        MemoryLog.Gate gate = gateOfTheFirstBatch();
        PendingAppend deferred = pushed(1, true);
        inBackground(commits::force);
        gate.awaitReached();
        PendingAppend forced = pushed(2, false);
        Thread caller = inBackground(() -> commits.await(forced));
        awaitTrue(() -> log.sizesWritten().size() == 1
                && (caller.getState() == Thread.State.WAITING || caller.getState() == Thread.State.TIMED_WAITING));
        assertThat(forced.isSettled()).isFalse();

        gate.open();
        caller.join();

        assertThat(forced.isDone()).isTrue();
        assertThat(deferred.isDone()).isTrue();
        assertThat(log.durableSequence()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void aForcedCallerDoesNotKnowItsOutcomeWhenADeferredChangeBeforeItMayBeLost() {
        begin(2, 1);
        MemoryLog.Gate gate = gateOfTheFirstBatch();
        pushed(1, true);
        inBackground(() -> assertThatThrownBy(commits::force).isInstanceOf(OutcomeUnknownException.class));
        gate.awaitReached();
        PendingAppend forced = pushed(2, false);
        Thread caller = inBackground(
                () -> assertThatThrownBy(() -> commits.await(forced)).isInstanceOf(OutcomeUnknownException.class));
        awaitTrue(() -> log.sizesWritten().size() == 1
                && (caller.getState() == Thread.State.WAITING || caller.getState() == Thread.State.TIMED_WAITING));

        failingFirst.set(true);
        gate.open();
        joinAll();

        assertThat(forced.isFailed()).isTrue();
    }

    private MemoryLog.Gate gateOfTheFirstBatch() {
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(batch -> {
            if (batch.sequence() == 1) {
                gate.write(batch);
                if (failingFirst.get()) {
                    throw new IOException("the disk is gone");
                }
            }
        });
        return gate;
    }

    @Test
    void oneWriteIsInFlightWhereThreadsComeBackTogether() {
        begin(4, NO_LIMIT, WaitStrategy.EXPECTED_END, () -> 0);
        for (int t = 0; t < 3; t++) {
            int number = t;
            inBackground(() -> {
                for (int i = 0; i < 300; i++) {
                    commits.await(pushed(number * 1000 + i, false));
                }
            });
        }
        joinAll();
        assertThat(log.mostWriting()).isOne();
    }

    @Test
    void aWriterThatHasNoMemoryToAwaitItsCohortKeepsNoPermit() {
        AtomicInteger looksUntilItFails = new AtomicInteger(Integer.MAX_VALUE);
        begin(1, NO_LIMIT, WaitStrategy.EXPECTED_END, () -> {
            if (looksUntilItFails.getAndDecrement() == 0) {
                throw new OutOfMemoryError("simulated");
            }
            return 0;
        });
        PendingAppend unlucky = pushed(1, false);
        PendingAppend later = append(2, false);
        GroupCommit unluckys = commits;
        commits = null; // to close it would take for ever, if the permit were lost
        looksUntilItFails.set(1); // its thread looks when it begins to wait, then when it has the permit

        assertThatThrownBy(() -> unluckys.await(unlucky)).isInstanceOf(StoreException.class);

        assertThat(unluckys.failure()).isPresent();
        assertThatThrownBy(() -> unluckys.push(later)).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(unluckys::close).isInstanceOf(StoreException.class);
    }

    @Test
    void aCallerWhoseAppendIsOnDiskWritesForNobodyElse() {
        CountDownLatch settling = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicReference<Thread> caller = new AtomicReference<>();
        AtomicBoolean goesOn = new AtomicBoolean();
        settleHook = append -> {
            settling.countDown();
            awaitLatch(mayGoOn);
        };
        begin(1, NO_LIMIT, WaitStrategy.EXPECTED_END, () -> {
            if (Thread.currentThread() == caller.get()) {
                awaitLatch(settling); // it goes on when its append is on disk, and not settled yet
                goesOn.set(true);
            }
            return 0;
        });
        PendingAppend removal = append(StateImage.ABSENT, 1, false);
        removal.markInIndex();
        removal.completeWhenSettled(stages.newStage()); // so the writer thread writes it
        commits.push(removal);
        PendingAppend own = pushed(2, false);
        log.intercept(batch -> {
            if (batch.sequence() == 1) {
                caller.set(inBackground(() -> commits.await(own)));
                pushed(3, false);
            }
        });
        commits.followUp(removal);
        awaitLatch(settling);

        awaitTrue(() -> goesOn.get() && caller.get().getState() == Thread.State.WAITING
                || log.sizesWritten().size() == 2);
        int writesBeforeItWasSettled = log.sizesWritten().size();
        mayGoOn.countDown();
        joinAll();
        commits.force();

        assertThat(writesBeforeItWasSettled).isOne();
        assertThat(log.written(1).writer()).isNotSameAs(caller.get());
    }

    @Test
    void aFreePermitIsUsedWhileTheWriterIsStuckInItsWrite() throws InterruptedException, ExecutionException {
        begin(2, NO_LIMIT);
        MemoryLog.Gate stuck = new MemoryLog.Gate(1);
        log.intercept(batch -> {
            if (batch.sequence() == 1) {
                assertThat(Thread.currentThread()).isInstanceOf(WriterThread.class);
                stuck.write(batch);
            }
        });
        StageCompleter.Stage stage = stages.newStage();
        PendingAppend asynchronous = append(0, false);
        asynchronous.completeWhenSettled(stage);
        commits.push(asynchronous);
        commits.followUp(asynchronous);
        stuck.awaitReached();
        List<PendingAppend> crowd = new ArrayList<>();
        for (int i = 1; i <= CROWD; i++) {
            crowd.add(pushed(i, false));
        }
        crowd.forEach(commits::await);

        Thread lone = inBackground(() -> commits.await(pushed(50, false)));
        boolean hasWritten = joined(lone);
        stuck.open();

        assertThat(hasWritten).isTrue();
        stage.toCompletableFuture().get();
    }

    @Test
    void anInterruptedThreadThatClosesABrokenStoreDoesNotSpin() {
        begin(1, NO_LIMIT);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(gate);
        inBackground(
                () -> assertThatThrownBy(() -> commits.await(pushed(1, false))).isInstanceOf(StoreException.class));
        gate.awaitReached();
        commits.failStop(new IOException("broken"));
        AtomicBoolean wasInterrupted = new AtomicBoolean();
        Thread closing = inBackground(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(commits::close).isInstanceOf(StoreException.class);
            wasInterrupted.set(Thread.interrupted());
        });

        boolean parks = isTrueSoon(() -> closing.getState() == Thread.State.TIMED_WAITING && !closing.isInterrupted());
        gate.open();
        joinAll();

        assertThat(parks).isTrue();
        assertThat(wasInterrupted).isTrue();
    }

    @Test
    void callersThatDeferAndForceMakeACrowdToo() {
        begin(1, NO_LIMIT);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(gate);
        inBackground(() -> commits.await(pushed(0, false)));
        gate.awaitReached();
        List<Thread> forcing = new ArrayList<>();
        for (int i = 1; i <= CROWD; i++) {
            pushed(i, true);
            forcing.add(inBackground(commits::force));
        }
        awaitTrue(() -> forcing.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
        gate.open();
        joinAll();

        commits.await(pushed(50, false));

        assertThat(log.sizesWritten()).containsExactly(1, CROWD, 1);
        assertThat(lastWriter()).isInstanceOf(WriterThread.class);
    }

    @Test
    void copiesOfTheHousekeeperAreNoCommittersForWhomAWriterWaits() {
        AtomicInteger looks = new AtomicInteger();
        begin(1, NO_LIMIT, WaitStrategy.EXPECTED_END, () -> looks.getAndIncrement() * 0L);
        for (int i = 0; i < 50; i++) {
            pushed(i, true);
        }
        commits.await(pushed(50, false));
        assertThat(log.sizesWritten()).containsExactly(51);

        assertThat(looksOf(looks, 51)).isLessThan(10);
    }

    @Test
    void afterAForceOfNothingAWriterWaitsForNoCohort() {
        AtomicInteger looks = new AtomicInteger();
        begin(1, NO_LIMIT, WaitStrategy.EXPECTED_END, () -> looks.getAndIncrement() * 0L);
        for (int i = 0; i < CROWD - 2; i++) {
            pushed(i, false);
        }
        commits.force();
        assertThat(looksOf(looks, 4)).as("more came before").isGreaterThan(10);
        for (int i = 5; i < 3 + CROWD; i++) {
            pushed(i, false);
        }
        commits.force();

        commits.force();

        assertThat(looksOf(looks, 9)).isLessThan(10);
    }

    @Test
    void inACrowdTheWriterYieldsForItsFirstCommitterBeforeItParks() {
        AtomicInteger looksOfWriters = new AtomicInteger();
        begin(1, NO_LIMIT, WaitStrategy.EXPECTED_END, () -> {
            if (Thread.currentThread() instanceof WriterThread) {
                looksOfWriters.incrementAndGet();
            }
            return 0;
        });
        crowd(0);
        List<PendingAppend> second = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            second.add(pushed(100 + i, false));
        }
        looksOfWriters.set(0);
        second.forEach(commits::await);

        awaitTrue(() -> looksOfWriters.get() > CommitWaits.COHORT_YIELDS / CROWD);
    }

    @Test
    void aCallerThatComesWhileTheWriterAwaitsItsCohortYieldsUntilThatWriteShouldEnd() {
        AtomicLong now = new AtomicLong();
        AtomicInteger looksOfLeader = new AtomicInteger();
        AtomicInteger looksOfCaller = new AtomicInteger();
        AtomicReference<Thread> leader = new AtomicReference<>();
        AtomicReference<Thread> caller = new AtomicReference<>();
        begin(1, NO_LIMIT, WaitStrategy.EXPECTED_END, () -> {
            if (Thread.currentThread() == leader.get() && looksOfLeader.incrementAndGet() == 4) {
                caller.set(inBackground(() -> commits.await(pushed(5, false))));
                awaitTrue(() -> caller.get().getState() == Thread.State.WAITING);
            } else if (Thread.currentThread() != leader.get()) {
                looksOfCaller.incrementAndGet();
            }
            return now.get();
        });
        for (int i = 0; i < CROWD - 2; i++) {
            pushed(i, false);
        }
        commits.force();
        now.addAndGet(10_000_000_000L); // the write before began long ago
        looksOfCaller.set(0);
        leader.set(Thread.currentThread());

        commits.await(pushed(4, false));
        joinAll();

        assertThat(log.sizesWritten()).containsExactly(CROWD - 2, 2);
        assertThat(looksOfCaller.get()).isGreaterThan(100);
    }

    /** How often a lone committer looks at the clock for one append. A thread that yields looks each time. */
    private int looksOf(AtomicInteger looks, int number) {
        PendingAppend append = pushed(number, false);
        int before = looks.get();
        commits.await(append);
        assertThat(lastWriter()).isSameAs(Thread.currentThread());
        return looks.get() - before;
    }

    @Test
    void forceOfNothingWritesNothing() {
        begin(1, NO_LIMIT);
        commits.force();
        assertThat(log.sizesLaidOut()).isEmpty();
    }

    @Test
    void deferredAppendsRideAlong() {
        begin(1, NO_LIMIT);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(gate);
        inBackground(() -> commits.await(pushed(0, false)));
        gate.awaitReached();
        PendingAppend deferred = pushed(1, true);
        PendingAppend urgent = pushed(2, false);
        gate.open();
        commits.await(urgent);
        assertThat(deferred.isDone()).isTrue();
        assertThat(log.sizesWritten()).containsExactly(1, 2);
    }

    @Test
    void deferredAppendIsWrittenThoughNothingElseComes() throws InterruptedException {
        begin(1, NO_LIMIT);
        CountDownLatch written = new CountDownLatch(1);
        log.intercept(batch -> written.countDown());

        commits.followUp(pushed(1, true));

        assertThat(written.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void callersThatDeferFasterThanTheLogWritesWaitForIt() {
        begin(1, NO_LIMIT);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(gate);
        inBackground(() -> commits.await(pushed(0, false)));
        gate.awaitReached();
        StateImage large = StateImage.of(new byte[1_000], null, false);
        AtomicInteger deferred = new AtomicInteger();
        Thread caller = inBackground(() -> {
            for (int i = 1; i <= 2_000; i++) {
                PendingAppend append = append(large, i, true);
                commits.push(append);
                commits.followUp(append);
                deferred.incrementAndGet();
            }
        });

        awaitTrue(() -> caller.getState() == Thread.State.WAITING || deferred.get() == 2_000);
        int deferredBehindOneWrite = deferred.get();
        gate.open();
        joinAll();

        assertThat(deferredBehindOneWrite * 1_000)
                .isBetween(GroupCommit.MOST_DEFERRED_BYTES / 2, GroupCommit.MOST_DEFERRED_BYTES);
        assertThat(deferred).hasValue(2_000);
    }

    @Test
    void aCallerThatDefersOneRecordDoesNotWaitForThoseWhoForce() {
        begin(1, NO_LIMIT);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(gate);
        inBackground(() -> commits.await(pushed(0, false)));
        gate.awaitReached();
        StateImage large = StateImage.of(new byte[GroupCommit.MOST_DEFERRED_BYTES], null, false);
        commits.push(append(large, 1, false));
        PendingAppend own = append(large, 2, true);
        commits.push(own);
        PendingAppend copy = PendingAppend.copy(own, own.record());
        commits.push(copy);
        commits.followUp(copy);

        Thread caller = inBackground(() -> commits.followUp(own));
        boolean isOver =
                isTrueSoon(() -> !caller.isAlive() || caller.getState() == Thread.State.WAITING) && !caller.isAlive();
        gate.open();
        joinAll();

        assertThat(isOver).isTrue();
    }

    @Test
    void aCallerThatWaitsForTheLogAfterADeferredAppendIsNotToldOfTheFailure() {
        begin(1, NO_LIMIT);
        log.intercept(batch -> {
            throw new IOException("broken");
        });
        commits.push(append(StateImage.of(new byte[GroupCommit.MOST_DEFERRED_BYTES], null, false), 1, true));
        PendingAppend append = pushed(2, true);

        commits.followUp(append);

        assertThat(append.isFailed()).isTrue();
        assertThat(commits.failure()).isPresent();
        assertThatThrownBy(commits::close).isInstanceOf(StoreException.class);
        commits = null;
    }

    @Test
    void aCallerThatDefersIsToldOfTheFailureWhereItsAppendWillNeverBeSeen() throws InterruptedException {
        begin(1, NO_LIMIT);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(batch -> {
            gate.write(batch);
            throw new IOException("broken");
        });
        PendingAppend forced = pushed(1, false);
        inBackground(() -> assertThatThrownBy(() -> commits.await(forced)).isInstanceOf(StoreException.class));
        gate.awaitReached();
        PendingAppend onTop = onTopOf(forced);
        AtomicReference<Throwable> told = new AtomicReference<>();
        Thread deferring = inBackground(() -> told.set(catchThrowable(() -> commits.followUp(onTop))));
        awaitWaiting(deferring);
        gate.open();

        assertThat(joined(deferring)).isTrue();
        assertThat(told.get()).isInstanceOf(StoreException.class);
        assertThatThrownBy(commits::close).isInstanceOf(StoreException.class);
        commits = null;
    }

    @Test
    void aCallerThatDefersWaitsForWhatItsAppendLiesOnAndForNoOtherWrite() throws InterruptedException {
        begin(2, 1);
        MemoryLog.Gate unrelated = new MemoryLog.Gate(1);
        MemoryLog.Gate below = new MemoryLog.Gate(1);
        log.intercept(batch -> {
            if (batch.sequence() <= 2) {
                (batch.sequence() == 1 ? unrelated : below).write(batch);
            }
        });
        inBackground(() -> commits.await(pushed(1, false)));
        unrelated.awaitReached();
        PendingAppend forced = pushed(2, false);
        inBackground(() -> commits.await(forced));
        below.awaitReached();
        PendingAppend onTop = onTopOf(forced);
        Thread deferring = inBackground(() -> commits.followUp(onTop));
        awaitWaiting(deferring);
        below.open();
        boolean hasEnded = joined(deferring);
        unrelated.open();

        assertThat(hasEnded).isTrue();
    }

    private PendingAppend onTopOf(PendingAppend forced) {
        PendingAppend append = append(3, true);
        append.supersede(forced);
        commits.push(append);
        return append;
    }

    @Test
    void asynchronousAppendIsWrittenByAWriterAndCompletesItsFuture() throws InterruptedException, ExecutionException {
        begin(1, NO_LIMIT);
        PendingAppend append = append(1, false);
        StageCompleter.Stage future = stages.newStage();
        append.completeWhenSettled(future);
        commits.push(append);
        commits.followUp(append);

        future.get();

        assertThat(log.written(0).writer()).isNotSameAs(Thread.currentThread());
    }

    @Test
    void failedWriteIsUnknownAndWhatWasQueuedBehindItIsNotWritten() {
        begin(1, NO_LIMIT);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(batch -> {
            gate.write(batch);
            throw new IOException("broken");
        });
        AtomicInteger unknown = new AtomicInteger();
        inBackground(() -> {
            PendingAppend inFlight = pushed(0, false);
            assertThatThrownBy(() -> commits.await(inFlight))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("broken");
            unknown.incrementAndGet();
        });
        gate.awaitReached();
        PendingAppend queued = pushed(1, false);
        PendingAppend deferred = pushed(2, true);
        gate.open();

        assertThatThrownBy(() -> commits.await(queued)).isInstanceOf(StoreFailedException.class);
        joinAll();

        assertThat(unknown).hasValue(1);
        assertThat(deferred.isFailed()).isTrue();
        assertThat(log.sizesWritten()).isEmpty();
        assertThat(commits.failure()).containsInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> pushed(3, false)).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(commits::force).isInstanceOf(StoreException.class);
        assertThat(log.sizesLaidOut()).containsExactly(1);
    }

    @Test
    void batchThatComesBackAfterAnotherOneFailedIsUnknown() {
        begin(2, 1);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(batch -> {
            if (batch.sequence() == 1) {
                gate.write(batch);
            } else {
                throw new IOException("broken");
            }
        });
        PendingAppend slow = pushed(1, false);
        inBackground(() -> assertThatThrownBy(() -> commits.await(slow)).isInstanceOf(OutcomeUnknownException.class));
        gate.awaitReached();
        PendingAppend failing = pushed(2, false);
        assertThatThrownBy(() -> commits.await(failing)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(slow.isDone()).isFalse();

        gate.open();
        joinAll();

        assertThat(slow.isFailed()).isTrue();
    }

    @Test
    void errorInAWriteFailsTheStoreToo() {
        begin(1, NO_LIMIT);
        log.intercept(batch -> {
            throw new OutOfMemoryError("simulated");
        });
        PendingAppend append = pushed(1, false);
        assertThatThrownBy(() -> commits.await(append)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(commits.failure()).isPresent();
    }

    @Test
    void failureFromElsewhereReachesThoseWhoWait() {
        begin(1, NO_LIMIT);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(gate);
        inBackground(() -> {
            PendingAppend inFlight = pushed(0, false);
            assertThatThrownBy(() -> commits.await(inFlight)).isInstanceOf(OutcomeUnknownException.class);
        });
        gate.awaitReached();
        PendingAppend queued = pushed(1, false);
        CountDownLatch told = new CountDownLatch(1);
        inBackground(() -> {
            assertThatThrownBy(() -> commits.await(queued)).isInstanceOf(StoreFailedException.class);
            told.countDown();
        });

        commits.failStop(new IOException("the directory is gone"));
        awaitLatch(told);
        gate.open();
        joinAll();
    }

    @Test
    void interruptedCallerKeepsWaitingAndFindsItsFlagSet() {
        begin(1, NO_LIMIT);
        MemoryLog.Gate gate = new MemoryLog.Gate(1);
        log.intercept(gate);
        inBackground(() -> commits.await(pushed(0, false)));
        gate.awaitReached();
        AtomicInteger flagSet = new AtomicInteger();
        PendingAppend append = pushed(1, false);
        Thread caller = inBackground(() -> {
            Thread.currentThread().interrupt();
            commits.await(append);
            if (Thread.interrupted()) {
                flagSet.incrementAndGet();
            }
        });
        caller.interrupt();
        gate.open();
        joinAll();

        assertThat(append.isDone()).isTrue();
        assertThat(flagSet).hasValue(1);
    }

    @Test
    void closeWritesWhatIsQueuedAndRefusesWhatComesLater() {
        begin(1, NO_LIMIT);
        PendingAppend deferred = pushed(1, true);

        commits.close();

        assertThat(deferred.isDone()).isTrue();
        assertThatThrownBy(() -> pushed(2, false)).isInstanceOf(StoreClosedException.class);
        commits = null;
    }

    @Test
    void removalThatTheIndexHoldsIsForgottenWhenItIsOnDiskAndNotBefore() {
        begin(1, NO_LIMIT);
        PendingAppend removal = append(StateImage.ABSENT, 1, false);
        removal.markInIndex();
        log.intercept(batch -> assertThat(forgotten).isEmpty());
        commits.push(removal);
        commits.await(removal);
        assertThat(forgotten).containsExactly(removal);
    }

    @Test
    void settledAppendsHoldNeitherTheOnesBeforeNorTheOnesBehind() {
        begin(1, NO_LIMIT);
        PendingAppend before = pushed(1, true);
        PendingAppend after = append(1, false);
        after.supersede(before);
        commits.push(after);
        commits.await(after);
        assertThat(before.next()).isNull();
        assertThat(after.next()).isNull();
        assertThat(after.previous()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"1, EXPECTED_END", "2, EXPECTED_END", "4, EXPECTED_END", "1, SLEEP", "2, SLEEP", "4, SLEEP"})
    void everyAppendOfManyThreadsIsWrittenOnceAndInTheOrderOfItsThread(int inFlight, WaitStrategy waiting) {
        begin(inFlight, 7, waiting, NanoClock.SYSTEM);
        int callers = 8;
        int each = 400;
        Map<Integer, List<PendingAppend>> byCaller = new HashMap<>();
        for (int t = 0; t < callers; t++) {
            List<PendingAppend> own = new ArrayList<>();
            byCaller.put(t, own);
            int number = t;
            inBackground(() -> {
                for (int i = 0; i < each; i++) {
                    PendingAppend append = pushed(number * each + i, i % 4 == 0);
                    own.add(append);
                    if (i % 4 == 0) {
                        commits.followUp(append);
                    } else {
                        commits.await(append);
                        assertThat(append.isDone()).isTrue();
                    }
                }
            });
        }
        joinAll();
        commits.force();

        assertThat(log.sizesWritten().stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(callers * each);
        byCaller.values().forEach(own -> {
            // The thread that wrote the last batch may still be settling it.
            awaitTrue(() -> own.stream().allMatch(PendingAppend::isDone));
            assertThat(own).extracting(PendingAppend::position).isSorted();
        });
    }

    @ParameterizedTest
    @CsvSource({"1, EXPECTED_END", "4, EXPECTED_END", "1, SLEEP", "2, SLEEP", "4, SLEEP"})
    void nothingSucceedsWhoseWriteDidNotWhenTheLogBreaksUnderManyThreads(int inFlight, WaitStrategy waiting) {
        for (int round = 0; round < 20; round++) {
            begin(inFlight, 5, waiting, NanoClock.SYSTEM);
            int breakAt = 3 + round;
            log.intercept(batch -> {
                if (batch.sequence() >= breakAt) {
                    throw new IOException("broken");
                }
            });
            List<PendingAppend> all = Collections.synchronizedList(new ArrayList<>());
            for (int t = 0; t < 6; t++) {
                int number = t;
                inBackground(() -> {
                    try {
                        for (int i = 0; i < 100; i++) {
                            PendingAppend append = append(number * 100 + i, i % 3 == 0);
                            commits.push(append);
                            all.add(append);
                            if (!append.isDeferred()) {
                                commits.await(append);
                            }
                        }
                    } catch (StoreException told) {
                        assertThat(told).isInstanceOfAny(OutcomeUnknownException.class, StoreFailedException.class);
                    }
                });
            }
            joinAll();
            for (PendingAppend append : all) {
                awaitTrue(append::isSettled); // the thread that failed tells last those for whom nobody waits
                if (append.isDone()) {
                    assertThat(append.position() + 1).isLessThan(breakAt);
                }
            }
            assertThatThrownBy(commits::close).isInstanceOf(StoreException.class);
            commits = null;
        }
    }

    /** Two writes are in flight only where threads sleep. */
    private void begin(int inFlight, int batchAppends) {
        begin(inFlight, batchAppends, inFlight > 1 ? WaitStrategy.SLEEP : WaitStrategy.EXPECTED_END, NanoClock.SYSTEM);
    }

    private void begin(int inFlight, int batchAppends, WaitStrategy waiting, NanoClock clock) {
        log = new MemoryLog(inFlight, batchAppends);
        commits = new GroupCommit(log, waiting, clock, new StatisticsRecorder(), stages, append -> {
            forgotten.add(append);
            settleHook.accept(append);
        });
        commits.start();
        // A writer that starts late would find the first append and write it.
        awaitTrue(() -> Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread instanceof WriterThread)
                .allMatch(thread -> thread.getState() != Thread.State.RUNNABLE));
    }

    private PendingAppend pushed(int number, boolean deferred) {
        PendingAppend append = append(number, deferred);
        commits.push(append);
        return append;
    }

    private PendingAppend append(int number, boolean deferred) {
        return append(StateImage.of(new byte[] {(byte) number}, null, false), number, deferred);
    }

    private PendingAppend append(StateImage image, int number, boolean deferred) {
        StateKey key = StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
        return PendingAppend.of(key, image, encoder.encode(key, image), deferred);
    }

    private Thread inBackground(Runnable task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Throwable failed) { // asserted on by the test's own thread
                backgroundFailures.add(failed);
            }
        });
        threads.add(thread);
        thread.start();
        return thread;
    }

    private void joinAll() {
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException unexpected) {
                throw new AssertionError(unexpected);
            }
        }
        threads.clear();
        assertThat(backgroundFailures).isEmpty();
    }

    private static boolean joined(Thread thread) throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(10));
        return !thread.isAlive();
    }

    private static void awaitWaiting(Thread thread) {
        awaitTrue(() -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
    }

    private static void awaitTrue(BooleanSupplier condition) {
        assertThat(isTrueSoon(condition)).isTrue();
    }

    private static boolean isTrueSoon(BooleanSupplier condition) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(20)) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
