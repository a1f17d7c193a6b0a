package io.tallystick.reaper;

import static io.tallystick.reaper.ReaperFixture.PRECISION;
import static io.tallystick.reaper.ReaperFixture.TICK;
import static io.tallystick.reaper.ReaperFixture.await;
import static io.tallystick.reaper.ReaperFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TransactionReaperTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final LogCapture log = new LogCapture();
    private ReaperFixture reaping = new ReaperFixture();

    @AfterEach
    void close() {
        reaping.close();
        log.close();
    }

    // Expiry

    @Test
    void cancelsATransactionWhoseTimeIsOverAndTellsTheListener() {
        TestTransaction transaction = reaping.transaction("late");
        Registration registration = reaping.register(transaction, SECOND);

        reaping.passUntil(() -> transaction.cancels() == 1);

        assertThat(transaction.reason()).isEqualTo(ExpiryReason.TIMEOUT);
        assertThat(registration.isExpired()).isTrue();
        assertThat(registration.cancel()).isFalse();
        Expiry expiry = reaping.expiries.remove();
        assertThat(expiry.transaction()).isSameAs(transaction);
        assertThat(expiry.reason()).isEqualTo(ExpiryReason.TIMEOUT);
        assertThat(expiry.timeout()).isEqualTo(SECOND);
        assertThat(expiry.lateness()).isBetween(Duration.ZERO, PRECISION);
        assertThat(expiry.outcome()).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(expiry.failure()).isEmpty();
        assertThat(expiry.ownerStack()).isEmpty();
        assertThat(reaping.expiries).isEmpty();
        assertThat(transaction.preventions()).isZero();
    }

    @Test
    void isNotEarly() {
        TestTransaction transaction = reaping.transaction("t");
        reaping.register(transaction, SECOND);
        reaping.clock.advance(TICK.minusNanos(1));
        for (int tick = 1; tick < SECOND.dividedBy(TICK); tick++) {
            reaping.clock.advance(TICK);
            reaping.awaitWatch();
            reaping.awaitWorkers();
        }
        assertThat(transaction.cancels()).isZero();
    }

    @Test
    void aTransactionThatEndsInTimeIsLeftAlone() {
        TestTransaction transaction = reaping.transaction("in time");
        Registration registration = reaping.register(transaction, SECOND);
        reaping.pass(SECOND.minus(PRECISION));

        assertThat(registration.cancel()).isTrue();
        reaping.pass(MINUTE);

        assertThat(transaction.cancels()).isZero();
        assertThat(reaping.expiries).isEmpty();
    }

    @Test
    void aTransactionMayEndWhileItWaitsForAWorker() {
        reaping = new ReaperFixture(options().workers(1).maxWedgedWorkers(0));
        StuckTransaction stuck = new StuckTransaction("stuck");
        TestTransaction next = reaping.transaction("next");
        reaping.register(stuck, SECOND);
        reaping.passUntil(() -> reaping.statistics().workers() == 1);
        Registration waiting = reaping.register(next, SECOND);
        reaping.passUntil(() -> reaping.statistics().waiting() == 1);

        assertThat(waiting.cancel()).isTrue();
        stuck.release();
        reaping.awaitWorkers();

        assertThat(next.cancels()).isZero();
    }

    @Test
    void timeLeftIsKnownAndNeverTooShort() {
        Registration registration = reaping.register(reaping.transaction("t"), MINUTE);
        Registration unseen = reaping.reaper.register(reaping.transaction("u"), MINUTE);
        assertThat(reaping.reaper.remaining(registration)).isEqualTo(MINUTE);
        assertThat(reaping.reaper.remaining(unseen)).isEqualTo(MINUTE);

        reaping.pass(SECOND);

        assertThat(reaping.reaper.remaining(registration)).isEqualTo(MINUTE.minus(SECOND));
        assertThat(reaping.reaper.remaining(unseen))
                .isBetween(MINUTE.minus(SECOND), MINUTE.minus(SECOND).plus(PRECISION));
        registration.cancel();
        assertThat(reaping.reaper.remaining(registration)).isZero();
    }

    @Test
    void refusesATimeoutThatIsNotMoreThanZeroAndTakesAnyOther() {
        TestTransaction transaction = reaping.transaction("t");
        assertThatThrownBy(() -> reaping.reaper.register(transaction, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("timeout=PT0S");
        assertThatThrownBy(() -> reaping.reaper.register(transaction, Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> reaping.reaper.register(null, SECOND)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> reaping.reaper.register(transaction, null)).isInstanceOf(NullPointerException.class);

        reaping.register(transaction, Duration.ofSeconds(Long.MAX_VALUE));
        reaping.register(transaction, Duration.ofDays(365L * 100));
        reaping.pass(MINUTE);
        assertThat(transaction.cancels()).isZero();
        assertThat(reaping.statistics().open()).isEqualTo(2);

        reaping.register(transaction, Duration.ofNanos(1));
        reaping.passUntil(() -> transaction.cancels() == 1);
    }

    // The thread

    @Test
    void thereIsNoThreadBeforeTheFirstRegistration() {
        reaping.pass(MINUTE);

        assertThat(reaping.watchesStarted()).isZero();
        assertThat(reaping.statistics().watching()).isFalse();
    }

    @Test
    void theThreadEndsWhenNothingIsRegisteredAnyMore() {
        reaping.register(reaping.transaction("t"), MINUTE).cancel();
        reaping.pass(Duration.ofSeconds(2));

        await(() -> !reaping.isWatched());
        assertThat(reaping.statistics().watching()).isFalse();
        assertThat(reaping.workers()).isEmpty();
    }

    @Test
    void theThreadEndsAlsoWhenTheLastOneHadBeenOpenForLong() {
        Registration registration = reaping.register(reaping.transaction("t"), Duration.ofMinutes(10));
        reaping.pass(MINUTE);
        assertThat(reaping.isWatched()).isTrue();

        registration.cancel();
        reaping.pass(MINUTE.plus(PRECISION));

        await(() -> !reaping.isWatched());
    }

    @Test
    void beforeItSleepsTheReaperForgetsWhateverHasEnded() {
        Registration old = reaping.register(reaping.transaction("old"), Duration.ofMinutes(10));
        reaping.pass(MINUTE);
        old.cancel();
        reaping.register(reaping.transaction("brief"), MINUTE).cancel();

        reaping.pass(Duration.ofSeconds(2));

        await(() -> !reaping.isWatched());
    }

    @Test
    void aNewThreadIsStartedForTheNextRegistrationAndServesItInTime() {
        for (int round = 1; round <= 3; round++) {
            TestTransaction transaction = reaping.transaction("round " + round);
            reaping.register(transaction, SECOND);
            assertThat(reaping.watchesStarted()).isEqualTo(round);

            reaping.pass(SECOND.plus(TICK));
            reaping.awaitWorkers();
            assertThat(transaction.cancels()).isEqualTo(1);

            reaping.pass(Duration.ofSeconds(2));
            await(() -> !reaping.isWatched());
        }
    }

    @Test
    void theReaperSleepsWhileNothingArrivesAndNothingIsDue() {
        reaping.register(reaping.transaction("long"), Duration.ofMinutes(10));
        reaping.pass(Duration.ofSeconds(2));
        long looks = reaping.statistics().looks();

        reaping.pass(Duration.ofMinutes(9));

        assertThat(reaping.statistics().looks() - looks).isLessThan(15);
        assertThat(reaping.isWatched()).isTrue();
    }

    @Test
    void aShorterTimeoutThatArrivesWhileItSleepsIsInTime() {
        reaping.register(reaping.transaction("long"), Duration.ofMinutes(10));
        reaping.pass(MINUTE);
        assertThat(reaping.reaper.phase()).isEqualTo(WatchState.Phase.DOZING);
        TestTransaction brief = reaping.transaction("brief");

        reaping.register(brief, SECOND);
        reaping.pass(SECOND.plus(TICK));
        reaping.awaitWorkers();

        assertThat(brief.cancels()).isEqualTo(1);
    }

    @Test
    void aThreadThatCannotBeStartedIsTheCallersProblemAndTriedAgain() {
        AtomicBoolean fail = new AtomicBoolean(true);
        ThreadFactory threads = body -> {
            if (fail.get()) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(body);
        };
        reaping = new ReaperFixture(options().threadFactory(threads));
        TestTransaction transaction = reaping.transaction("t");
        assertThatThrownBy(() -> reaping.reaper.register(transaction, SECOND)).isInstanceOf(OutOfMemoryError.class);
        assertThat(log.messages()).anyMatch(message -> message.startsWith("TALLY0612"));

        fail.set(false);
        TestTransaction second = reaping.transaction("second");
        reaping.register(second, SECOND);
        reaping.passUntil(() -> second.cancels() == 1);
        assertThat(transaction.cancels()).isZero();
    }

    @Test
    void expiredTransactionsWaitWhenThereIsNoThreadForAWorker() {
        AtomicBoolean fail = new AtomicBoolean();
        ThreadFactory threads = body -> {
            if (fail.get() && body instanceof CancelWorkers.Worker) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(body);
        };
        reaping = new ReaperFixture(options().threadFactory(threads));
        TestTransaction transaction = reaping.transaction("t");
        fail.set(true);
        reaping.register(transaction, SECOND);
        reaping.pass(Duration.ofSeconds(2));
        assertThat(log.messages()).anyMatch(message -> message.startsWith("TALLY0607"));
        assertThat(reaping.statistics().waiting()).isEqualTo(1);

        fail.set(false);
        reaping.passUntil(() -> transaction.cancels() == 1);
    }

    @Test
    void anInterruptDoesNotDisturbTheWatch() {
        TestTransaction transaction = reaping.transaction("t");
        reaping.register(transaction, SECOND);
        for (int i = 0; i < 100; i++) {
            reaping.watch().interrupt();
        }
        reaping.pass(SECOND.plus(PRECISION));

        reaping.passUntil(() -> transaction.cancels() == 1);
        assertThat(reaping.watch().isInterrupted()).isFalse();
    }

    @Test
    void theWatchSurvivesAFailureAndTellsIt() {
        AtomicBoolean fail = new AtomicBoolean();
        ManualClock clock = new ManualClock();
        ReaperClock failing = new ReaperClock() {
            @Override
            public long nanoTime() {
                if (fail.getAndSet(false)) {
                    throw new IllegalStateException("no time");
                }
                return clock.nanoTime();
            }

            @Override
            public void parkUntil(long nanoTime) {
                clock.parkUntil(nanoTime);
            }
        };
        TestTransaction transaction = reaping.transaction("t");
        try (TransactionReaper reaper = TransactionReaper.open(
                ReaperOptions.builder().listener(ReaperListener.silent()).build(), failing)) {
            reaper.register(transaction, SECOND);
            await(() -> reaper.statistics().looks() > 0);
            fail.set(true);
            await(() -> {
                clock.advance(TICK);
                return transaction.cancels() == 1;
            });
            await(() -> log.messages().stream().anyMatch(message -> message.startsWith("TALLY0610")));
            reaper.close(CloseMode.EXPIRE_OPEN, Duration.ZERO);
        }
    }

    // Cancellations that fail

    @Test
    void aRefusedCancelIsFollowedByPreventCommit() {
        TestTransaction transaction = new TestTransaction("refusing") {
            @Override
            public CancelOutcome cancel(ExpiryReason reason) {
                super.cancel(reason);
                return CancelOutcome.REFUSED;
            }
        };
        reaping.register(transaction, SECOND);
        reaping.passUntil(() -> !reaping.expiries.isEmpty());

        assertThat(transaction.preventions()).isEqualTo(1);
        assertThat(reaping.prevented).containsExactly(transaction);
        assertThat(reaping.expiries.remove().outcome()).isEqualTo(CancelOutcome.REFUSED);
        assertThat(reaping.statistics().failed()).isEqualTo(1);
    }

    @Test
    void aTransactionThatHadEndedBeforeIsNotPreventedFromAnything() {
        TestTransaction transaction = new TestTransaction("ended") {
            @Override
            public CancelOutcome cancel(ExpiryReason reason) {
                return CancelOutcome.ENDED_BEFORE;
            }
        };
        reaping.register(transaction, SECOND);
        reaping.passUntil(() -> !reaping.expiries.isEmpty());

        assertThat(transaction.preventions()).isZero();
        assertThat(reaping.statistics().failed()).isZero();
    }

    @Test
    void aCancelThatThrowsIsReportedAndHarmsNobody() {
        for (Throwable failure :
                List.of(new IllegalStateException("no"), new StackOverflowError(), new OutOfMemoryError("test"))) {
            TestTransaction throwing = new TestTransaction("throwing") {
                @Override
                public CancelOutcome cancel(ExpiryReason reason) {
                    throw TransactionReaperTest.<RuntimeException>sneaky(failure);
                }
            };
            TestTransaction next = reaping.transaction("next");
            reaping.register(throwing, SECOND);
            reaping.register(next, SECOND);
            reaping.passUntil(() -> reaping.expiries.size() == 2);

            assertThat(next.cancels()).isEqualTo(1);
            assertThat(throwing.preventions()).isEqualTo(1);
            assertThat(reaping.expiries)
                    .filteredOn(expiry -> expiry.transaction() == throwing)
                    .allSatisfy(expiry -> {
                        assertThat(expiry.failure()).containsSame(failure);
                        assertThat(expiry.outcome()).isEqualTo(CancelOutcome.REFUSED);
                    });
            reaping.expiries.clear();
        }
    }

    @Test
    void aCancelThatAnswersNothingOrAPreventCommitThatThrowsHarmsNobody() {
        TestTransaction rude = new TestTransaction("rude") {
            @Override
            public CancelOutcome cancel(ExpiryReason reason) {
                return null;
            }

            @Override
            public boolean preventCommit() {
                throw new IllegalStateException("no");
            }

            @Override
            public String toString() {
                throw new IllegalStateException("not even a name");
            }
        };
        reaping.register(rude, SECOND);
        TestTransaction next = reaping.transaction("next");
        reaping.register(next, SECOND);
        reaping.passUntil(() -> reaping.expiries.size() == 2);
        assertThat(log.messages()).isNotEmpty();
        assertThat(next.cancels()).isEqualTo(1);
        assertThat(reaping.prevented).isEmpty();
    }

    @Test
    void aListenerThatThrowsHarmsNobody() {
        ReaperListener throwing = new ReaperListener() {
            @Override
            public void expired(Expiry expiry) {
                throw new IllegalStateException("no");
            }
        };
        reaping = new ReaperFixture(options().listener(throwing));
        TestTransaction first = reaping.transaction("first");
        TestTransaction second = reaping.transaction("second");
        reaping.register(first, SECOND);
        reaping.register(second, SECOND);
        reaping.passUntil(() -> first.cancels() + second.cancels() == 2);
        assertThat(log.messages()).anyMatch(message -> message.startsWith("TALLY0609"));
    }

    @Test
    void anInterruptThatACancelLeavesBehindDoesNotReachTheNext() {
        reaping = new ReaperFixture(options().workers(1));
        AtomicInteger interrupted = new AtomicInteger();
        TestTransaction interrupting = new TestTransaction("interrupting") {
            @Override
            public CancelOutcome cancel(ExpiryReason reason) {
                if (Thread.currentThread().isInterrupted()) {
                    interrupted.incrementAndGet();
                }
                Thread.currentThread().interrupt();
                return super.cancel(reason);
            }
        };
        reaping.register(reaping.transaction("wakes the watch"), MINUTE);
        reaping.register(interrupting, SECOND);
        reaping.register(interrupting, SECOND);
        reaping.passUntil(() -> interrupting.cancels() == 2);
        assertThat(reaping.workers()).as("both on one thread").hasSize(1);

        assertThat(interrupted).hasValue(0);
    }

    // Cancellations that do not come back

    @Test
    void aWedgedCancelIsReportedWithItsStackAndKeptFromCommitting() {
        StuckTransaction stuck = new StuckTransaction("stuck");
        reaping.register(stuck, SECOND);
        reaping.pass(SECOND.plus(PRECISION));
        reaping.awaitWorkers();
        assertThat(reaping.wedges).isEmpty();

        reaping.pass(Duration.ofSeconds(5));
        reaping.awaitWorkers();

        WedgedCancel wedged = reaping.wedges.remove();
        assertThat(wedged.transaction()).isSameAs(stuck);
        assertThat(wedged.busy())
                .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(5).plus(PRECISION));
        assertThat(wedged.stack()).anyMatch(frame -> frame.getMethodName().equals("waitForRelease"));
        assertThat(wedged.threadName()).startsWith("test-reaper-worker-");
        assertThat(stuck.preventions()).isEqualTo(1);
        assertThat(reaping.prevented).containsExactly(stuck);
        assertThat(reaping.statistics().wedged()).isEqualTo(1);

        stuck.release();
        reaping.awaitWorkers();

        assertThat(stuck.wasInterrupted()).isFalse();
        assertThat(reaping.expiries.remove().outcome()).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(reaping.statistics().wedged()).isZero();
        assertThat(reaping.statistics().wedgedEver()).isEqualTo(1);
        assertThat(reaping.wedges).isEmpty();
    }

    @Test
    void wedgedCancelsDelayOthersByATickOnly() {
        reaping = new ReaperFixture(options().workers(1).maxWedgedWorkers(10));
        List<StuckTransaction> stuck = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            stuck.add(new StuckTransaction("stuck " + i));
            reaping.register(stuck.get(i), SECOND);
        }
        reaping.passUntil(() -> reaping.statistics().workers() == 10);
        TestTransaction brief = reaping.transaction("brief");
        reaping.register(brief, SECOND);
        reaping.pass(SECOND.plus(TICK).plus(TICK));
        reaping.awaitWorkers();

        assertThat(brief.cancels()).isEqualTo(1);
        assertThat(reaping.statistics().workersExhausted()).isFalse();
        stuck.forEach(StuckTransaction::release);
        reaping.awaitWorkers();
        assertThat(stuck).allMatch(transaction -> transaction.cancels() == 1 && !transaction.wasInterrupted());
    }

    @Test
    void theNumberOfWorkersIsBoundedAndItIsSaidWhenAllAreStuck() {
        reaping = new ReaperFixture(options().workers(2).maxWedgedWorkers(3));
        List<StuckTransaction> stuck = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            stuck.add(new StuckTransaction("stuck " + i));
            reaping.register(stuck.get(i), SECOND);
        }
        reaping.passWithWorkers(Duration.ofSeconds(20));
        assertThat(log.messages())
                .filteredOn(message -> message.startsWith("TALLY0605"))
                .hasSize(1);
        assertThat(reaping.statistics().workers()).isEqualTo(5);
        assertThat(reaping.statistics().waiting()).isEqualTo(3);
        assertThat(reaping.statistics().workersExhausted()).isTrue();
        assertThat(reaping.workers()).hasSize(5);

        stuck.forEach(StuckTransaction::release);
        reaping.passUntil(() -> reaping.expiries.size() == 8);
        reaping.pass(TICK);
        assertThat(reaping.statistics().workersExhausted()).isFalse();
        assertThat(log.messages()).anyMatch(message -> message.startsWith("TALLY0606"));
    }

    @Test
    void slowCancelsThatComeBackAreNoStuckWorkersThoughManyWait() {
        reaping = new ReaperFixture(options().workers(2).maxWedgedWorkers(3));
        List<StuckTransaction> slow = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            slow.add(new StuckTransaction("slow " + i));
            reaping.register(slow.get(i), SECOND);
        }
        while (reaping.expiries.size() < slow.size()) {
            reaping.passWithWorkers(SECOND); // less than wedged-after
            assertThat(reaping.statistics().workersExhausted()).isFalse();
            slow.stream().filter(StuckTransaction::isStuck).forEach(StuckTransaction::release);
            reaping.awaitWorkers();
        }
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void workersThatComeBackAndAreNotNeededEnd() {
        reaping = new ReaperFixture(options().workers(1).maxWedgedWorkers(3).wedgedAfter(SECOND));
        List<StuckTransaction> stuck = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            stuck.add(new StuckTransaction("stuck " + i));
            reaping.register(stuck.get(i), SECOND);
        }
        reaping.passUntil(() -> reaping.statistics().workersExhausted());
        List<Thread> all = List.copyOf(reaping.workers());

        stuck.stream().filter(StuckTransaction::isStuck).forEach(StuckTransaction::release);
        await(() -> all.stream().filter(Thread::isAlive).count() == 1);
        reaping.awaitWorkers();

        assertThat(reaping.statistics().workers()).isEqualTo(1);
        stuck.forEach(StuckTransaction::release);
    }

    @Test
    void whatEndsWhileAllWorkersAreStuckIsForgotten() {
        reaping = new ReaperFixture(options().workers(1).maxWedgedWorkers(0));
        StuckTransaction stuck = new StuckTransaction("stuck");
        reaping.register(stuck, SECOND);
        reaping.passUntil(() -> reaping.statistics().workers() == 1);
        List<Registration> waiting = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            waiting.add(reaping.reaper.register(reaping.transaction("t"), SECOND));
            if (i % 500 == 0) {
                reaping.pass(SECOND.plus(PRECISION));
                waiting.forEach(Registration::cancel);
            }
        }
        assertThat(reaping.statistics().waiting()).isLessThan(3_000);
        assertThat(log.messages()).anyMatch(message -> message.startsWith("TALLY0605"));
        stuck.release();
    }

    @Test
    void aPreventCommitThatDoesNotComeBackEitherIsLeftInItsThread() {
        StuckTransaction stuck = new StuckTransaction("stuck", true);
        reaping.register(stuck, SECOND);
        reaping.passWithWorkers(Duration.ofSeconds(20));
        assertThat(log.messages())
                .filteredOn(message -> message.startsWith("TALLY0604"))
                .hasSize(1);
        assertThat(reaping.statistics().workers()).isEqualTo(2);
        TestTransaction next = reaping.transaction("next");
        reaping.register(next, SECOND);
        reaping.passUntil(() -> next.cancels() == 1);
        stuck.release();
        reaping.awaitWorkers();
        assertThat(stuck.wasInterrupted()).isFalse();
    }

    // Stacks

    @Test
    void capturesWhereTheOwnerWasBeforeTheDeadline() throws InterruptedException {
        reaping = new ReaperFixture(options().stackCaptureLead(Duration.ofMillis(500)));
        CountDownLatch registered = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread owner = new Thread(() -> {
            reaping.register(reaping.transaction("t"), SECOND);
            registered.countDown();
            lingerIn(done);
        });
        owner.start();
        registered.await();
        await(() -> owner.getState() == Thread.State.WAITING);
        reaping.pass(Duration.ofMillis(700));
        done.countDown();
        owner.join();

        reaping.passUntil(() -> !reaping.expiries.isEmpty());

        assertThat(reaping.expiries.remove().ownerStack())
                .anyMatch(frame -> frame.getMethodName().equals("lingerIn"));
    }

    @Test
    void capturesOnlySoManyStacksAtOnce() {
        reaping = new ReaperFixture(options().stackCaptureLead(Duration.ofMillis(500)));
        for (int i = 0; i < 50; i++) {
            reaping.register(reaping.transaction("t" + i), SECOND);
        }
        reaping.passUntil(() -> reaping.expiries.size() == 50);

        assertThat(reaping.expiries)
                .filteredOn(expiry -> !expiry.ownerStack().isEmpty())
                .hasSizeBetween(
                        Watch.CAPTURES_PER_LOOK, 2 * Watch.CAPTURES_PER_LOOK); // the first one was seen a tick earlier
    }

    // Closing

    @Test
    void closingExpiresWhatIsOpen() throws Exception {
        TestTransaction open = reaping.transaction("open");
        TestTransaction ended = reaping.transaction("ended");
        reaping.register(open, MINUTE);
        reaping.register(ended, MINUTE).cancel();
        TestTransaction unseen = reaping.transaction("unseen");
        reaping.reaper.register(unseen, MINUTE);

        assertThat(closingWhileTimePasses(CloseMode.EXPIRE_OPEN, MINUTE)).isTrue();

        assertThat(open.reason()).isEqualTo(ExpiryReason.CLOSE);
        assertThat(unseen.reason()).isEqualTo(ExpiryReason.CLOSE);
        assertThat(ended.cancels()).isZero();
        assertThat(reaping.expiries).allMatch(expiry -> expiry.lateness().isNegative());
        await(() -> !reaping.isWatched());
        assertThat(reaping.statistics().watching()).isFalse();
    }

    @Test
    void closingWaitsForMixedTimeoutsInAnyOrder() throws Exception {
        List<TestTransaction> transactions = new ArrayList<>();
        for (int seconds : new int[] {60, 300, 10}) {
            TestTransaction transaction = reaping.transaction(seconds + " s");
            transactions.add(transaction);
            reaping.register(transaction, Duration.ofSeconds(seconds));
        }

        assertThat(closingWhileTimePasses(CloseMode.WAIT_FOR_OPEN, Duration.ofHours(1)))
                .isTrue();

        assertThat(transactions).allMatch(transaction -> transaction.reason() == ExpiryReason.TIMEOUT);
    }

    @Test
    void closingExpiresMixedTimeoutsInAnyOrder() throws Exception {
        List<TestTransaction> transactions = new ArrayList<>();
        for (int seconds : new int[] {60, 300, 10}) {
            TestTransaction transaction = reaping.transaction(seconds + " s");
            transactions.add(transaction);
            reaping.register(transaction, Duration.ofSeconds(seconds));
        }
        reaping.pass(Duration.ofSeconds(5));

        assertThat(closingWhileTimePasses(CloseMode.EXPIRE_OPEN, SECOND)).isTrue();

        assertThat(transactions).allMatch(transaction -> transaction.reason() == ExpiryReason.CLOSE);
    }

    @Test
    void closingThatWaitsReturnsWhenTheLastOneHasEnded() throws Exception {
        TestTransaction transaction = reaping.transaction("t");
        Registration registration = reaping.register(transaction, Duration.ofMinutes(10));
        Thread closer = closer(CloseMode.WAIT_FOR_OPEN, Duration.ofHours(1), new AtomicBoolean());
        reaping.pass(MINUTE);
        assertThat(closer.isAlive()).isTrue();

        registration.cancel();
        reaping.pass(PRECISION);

        closer.join();
        assertThat(transaction.cancels()).isZero();
    }

    @Test
    void closingEndsAtItsBoundAndLeavesWhatIsOpen() throws Exception {
        TestTransaction transaction = reaping.transaction("t");
        Registration registration = reaping.register(transaction, Duration.ofMinutes(10));
        assertThat(closingWhileTimePasses(CloseMode.WAIT_FOR_OPEN, SECOND)).isFalse();
        await(() -> !reaping.isWatched());
        assertThat(log.messages()).anyMatch(message -> message.startsWith("TALLY0611"));
        assertThat(transaction.cancels()).isZero();
        assertThat(registration.cancel()).isTrue();
    }

    @Test
    void closingEndsAtItsBoundAlsoWhenCancelsAreWedged() throws Exception {
        StuckTransaction stuck = new StuckTransaction("stuck");
        reaping.register(stuck, MINUTE);
        assertThat(closingWhileTimePasses(CloseMode.EXPIRE_OPEN, SECOND)).isFalse();
        await(() -> !reaping.isWatched());
        assertThat(log.messages()).anyMatch(message -> message.startsWith("TALLY0611"));
        stuck.release();
        reaping.awaitWorkers();
        assertThat(stuck.wasInterrupted()).isFalse();
    }

    @Test
    void closingWaitsForAStuckCancelAlsoWhenTheWatchHasEndedMeanwhile() throws Exception {
        StuckTransaction stuck = new StuckTransaction("stuck");
        letTheWatchEndBeside(stuck);
        AtomicBoolean drained = new AtomicBoolean();
        Thread closer = closer(CloseMode.EXPIRE_OPEN, MINUTE, drained);
        reaping.pass(SECOND);
        assertThat(reaping.reaper.phase()).isEqualTo(WatchState.Phase.CLOSING);

        stuck.release();
        reaping.awaitWorkers();
        reaping.pass(PRECISION);

        closer.join();
        assertThat(drained).isTrue();
        assertThat(stuck.cancels()).isEqualTo(1);
    }

    @Test
    void closingTellsOfAStuckCancelAlsoWhenTheWatchHasEndedMeanwhile() throws Exception {
        StuckTransaction stuck = new StuckTransaction("stuck");
        letTheWatchEndBeside(stuck);
        assertThat(closingWhileTimePasses(CloseMode.EXPIRE_OPEN, SECOND)).isFalse();
        await(() -> !reaping.isWatched());
        assertThat(log.messages()).anyMatch(message -> message.startsWith("TALLY0611"));
        stuck.release();
        reaping.awaitWorkers();
    }

    private void letTheWatchEndBeside(StuckTransaction stuck) {
        reaping.register(stuck, SECOND);
        reaping.passUntil(stuck::isStuck);
        reaping.passWithWorkers(Duration.ofSeconds(10));
        await(() -> !reaping.isWatched());
    }

    @Test
    void closingExpiresWhatWasRegisteredWhileTheWatchCouldNotBeStarted() throws Exception {
        TestTransaction unwatched = reaping.transaction("unwatched");
        AtomicInteger failures = new AtomicInteger(1);
        registerBesideAFailingStart(options(), unwatched, failures);

        assertThat(closingWhileTimePasses(CloseMode.EXPIRE_OPEN, SECOND)).isTrue();

        assertThat(unwatched.reason()).isEqualTo(ExpiryReason.CLOSE);
    }

    @Test
    void closingTellsWhatItLeavesWhereNoThreadCanBeStarted() {
        TestTransaction unwatched = reaping.transaction("unwatched");
        registerBesideAFailingStart(options(), unwatched, new AtomicInteger(Integer.MAX_VALUE));

        assertThat(reaping.reaper.close(CloseMode.EXPIRE_OPEN, SECOND)).isFalse();

        assertThat(log.messages()).anyMatch(message -> message.startsWith("TALLY0611"));
        assertThat(unwatched.cancels()).isZero();
    }

    @Test
    void closingWithoutAThreadTellsAlsoWhatWaitsForItsStackCapture() {
        TestTransaction unwatched = reaping.transaction("unwatched");
        ReaperOptions.Builder capturing = options().stackCaptureLead(MINUTE);
        registerBesideAFailingStart(capturing, unwatched, new AtomicInteger(Integer.MAX_VALUE));

        assertThat(reaping.reaper.close(CloseMode.EXPIRE_OPEN, SECOND)).isFalse();
    }

    private void registerBesideAFailingStart(
            ReaperOptions.Builder options, TestTransaction unwatched, AtomicInteger failures) {
        AtomicBoolean first = new AtomicBoolean(true);
        reaping = new ReaperFixture(options.threadFactory(body -> {
            if (first.getAndSet(false)) {
                reaping.reaper.register(unwatched, MINUTE); // as another thread might at this moment
            }
            if (failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(body);
        }));
        assertThatThrownBy(() -> reaping.reaper.register(reaping.transaction("t"), SECOND))
                .isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void closingEndsAtItsBoundAlsoWhenTheWatchDoesNotComeToRun() {
        CountDownLatch never = new CountDownLatch(1);
        ManualClock clock = new ManualClock();
        TransactionReaper stalled = TransactionReaper.open(
                options().threadFactory(body -> daemon(() -> lingerIn(never))).build(), clock);
        stalled.register(new TestTransaction("t"), MINUTE);
        AtomicBoolean drained = new AtomicBoolean(true);
        Thread closer = daemon(() -> drained.set(stalled.close(CloseMode.EXPIRE_OPEN, SECOND)));
        closer.start();
        await(() -> clock.isParked(closer));

        clock.advance(SECOND);

        await(() -> !closer.isAlive());
        assertThat(drained).isFalse();
        never.countDown();
    }

    @Test
    void closingWithNoTimeReturnsAtOnce() {
        reaping.register(reaping.transaction("t"), MINUTE);

        assertThat(reaping.reaper.close(CloseMode.WAIT_FOR_OPEN, Duration.ZERO)).isFalse();

        await(() -> !reaping.isWatched());
    }

    @Test
    void closingWhatIsIdleReturnsAtOnceAndStartsNoThread() {
        assertThat(reaping.reaper.close(CloseMode.WAIT_FOR_OPEN, MINUTE)).isTrue();
        assertThat(reaping.reaper.close(CloseMode.EXPIRE_OPEN, MINUTE)).isTrue();
        assertThat(reaping.watchesStarted()).isZero();
    }

    @Test
    void aSecondCloseMayBeStricter() throws Exception {
        TestTransaction transaction = reaping.transaction("t");
        reaping.register(transaction, Duration.ofMinutes(10));
        AtomicBoolean drained = new AtomicBoolean();
        Thread patient = closer(CloseMode.WAIT_FOR_OPEN, Duration.ofHours(1), drained);
        reaping.pass(SECOND);

        assertThat(closingWhileTimePasses(CloseMode.EXPIRE_OPEN, MINUTE)).isTrue();

        patient.join();
        assertThat(drained).isTrue();
        assertThat(transaction.reason()).isEqualTo(ExpiryReason.CLOSE);
    }

    @Test
    void nothingIsAcceptedAfterClosing() {
        TestTransaction transaction = reaping.transaction("t");
        reaping.reaper.close();

        assertThatThrownBy(() -> reaping.reaper.register(transaction, SECOND))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(reaping.watchesStarted()).isZero();
        assertThatThrownBy(() -> reaping.reaper.close(CloseMode.EXPIRE_OPEN, Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nothingIsAcceptedWhileClosingWaits() throws Exception {
        Registration open = reaping.register(reaping.transaction("open"), MINUTE);
        Thread closer = closer(CloseMode.WAIT_FOR_OPEN, Duration.ofHours(1), new AtomicBoolean());
        await(() -> reaping.reaper.phase() == WatchState.Phase.CLOSING);

        assertThatThrownBy(() -> reaping.reaper.register(reaping.transaction("t"), SECOND))
                .isInstanceOf(IllegalStateException.class);

        open.cancel();
        await(() -> {
            reaping.clock.advance(TICK);
            return !closer.isAlive();
        });
        assertThat(reaping.expiries).isEmpty();
    }

    @Test
    void anInterruptDoesNotEndTheWaitForClosingAndIsNotLost() throws Exception {
        Registration open = reaping.register(reaping.transaction("open"), Duration.ofMinutes(10));
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread closer = new Thread(() -> {
            Thread.currentThread().interrupt();
            reaping.reaper.close(CloseMode.WAIT_FOR_OPEN, Duration.ofHours(1));
            interrupted.set(Thread.currentThread().isInterrupted());
        });
        closer.start();
        await(() -> reaping.reaper.phase() == WatchState.Phase.CLOSING);
        reaping.pass(MINUTE);
        assertThat(closer.isAlive()).isTrue();

        open.cancel();
        await(() -> {
            reaping.clock.advance(TICK);
            return !closer.isAlive();
        });
        assertThat(interrupted).isTrue();
    }

    // Many

    @Test
    void aMillionThatExpireAtOnceDrainWhileNewOnesAreServed() {
        LongAdder cancelled = new LongAdder();
        Reapable one = new TestTransaction("one of a million") {
            @Override
            public CancelOutcome cancel(ExpiryReason reason) {
                cancelled.increment();
                return CancelOutcome.CANCELLED;
            }
        };
        ReaperOptions options = options().build();
        ManualClock clock = new ManualClock();
        try (TransactionReaper reaper = TransactionReaper.open(options, clock)) {
            for (int i = 0; i < 1_000_000; i++) {
                reaper.register(one, SECOND);
            }
            await(() -> {
                clock.advance(TICK);
                return cancelled.sum() > 0;
            });
            TestTransaction brief = new TestTransaction("brief");
            int inTime = 0;
            while (cancelled.sum() < 1_000_000) {
                clock.advance(Duration.ofNanos(1000));
                inTime += reaper.register(brief, SECOND).cancel() ? 1 : 0;
            }
            assertThat(inTime).isPositive();
            reaper.register(brief, SECOND);
            await(() -> {
                clock.advance(TICK);
                return brief.cancels() == 1;
            });
            assertThat(cancelled.sum()).isEqualTo(1_000_000);
            assertThat(reaper.statistics().expired()).isEqualTo(1_000_001);
            reaper.close(CloseMode.EXPIRE_OPEN, Duration.ZERO);
        }
    }

    @Test
    void millionsThatEndInTimeLeaveNothingBehind() {
        TestTransaction transaction = reaping.transaction("t");
        Registration open = reaping.register(transaction, Duration.ofMinutes(5));
        for (int tick = 0; tick < 100; tick++) {
            for (int i = 0; i < 50_000; i++) {
                reaping.reaper.register(transaction, Duration.ofMinutes(5)).cancel();
            }
            reaping.pass(TICK);
            assertThat(reaping.statistics().open()).isLessThan(10);
        }
        ReaperStatistics statistics = reaping.statistics();
        assertThat(statistics.registered()).isEqualTo(5_000_001);
        assertThat(statistics.registered())
                .isEqualTo(statistics.unseen()
                        + statistics.ended()
                        + statistics.open()
                        + statistics.waiting()
                        + statistics.expired());
        assertThat(open.cancel()).isTrue();
        assertThat(transaction.cancels()).isZero();
    }

    @Test
    void theNumberOfRegisteredIsExactWhileItGrows() throws InterruptedException {
        ReaperOptions often = options().precision(Duration.ofMillis(1)).build();
        try (TransactionReaper reaper = TransactionReaper.open(often)) {
            AtomicInteger begun = new AtomicInteger();
            AtomicInteger done = new AtomicInteger();
            Thread registrant = new Thread(() -> {
                while (begun.incrementAndGet() <= 300_000) {
                    reaper.register(reaping.transaction("t"), MINUTE).cancel();
                    done.incrementAndGet();
                }
            });
            registrant.start();
            while (registrant.isAlive()) {
                int atLeast = done.get();
                long registered = reaper.statistics().registered();
                assertThat(registered).isBetween((long) atLeast, (long) begun.get());
            }
            registrant.join();
            assertThat(reaper.statistics().registered()).isEqualTo(300_000);
        }
    }

    @Test
    void worksWithVirtualThreadsOnBothSides() throws Exception {
        reaping = new ReaperFixture(options().threadFactory(virtualThreads()));
        List<TestTransaction> transactions = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            transactions.add(reaping.transaction("t" + i));
        }
        reaping.register(reaping.transaction("first"), MINUTE); // the watch is awake
        List<Thread> registrants = new ArrayList<>();
        for (TestTransaction transaction : transactions) {
            registrants.add(virtualThreads().newThread(() -> reaping.reaper.register(transaction, SECOND)));
        }
        registrants.forEach(Thread::start);
        for (Thread registrant : registrants) {
            registrant.join();
        }

        reaping.passUntil(() -> transactions.stream().allMatch(transaction -> transaction.cancels() == 1));
    }

    private static ThreadFactory virtualThreads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            return (ThreadFactory) type.getMethod("factory").invoke(builder);
        } catch (NoSuchMethodException | ClassNotFoundException before21) {
            return abort("virtual threads need JDK 21, this is " + Runtime.version());
        } catch (IllegalAccessException | InvocationTargetException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private boolean closingWhileTimePasses(CloseMode mode, Duration atMost) throws InterruptedException {
        AtomicBoolean drained = new AtomicBoolean();
        Thread closer = closer(mode, atMost, drained);
        await(() -> {
            reaping.clock.advance(TICK);
            reaping.awaitWatch();
            reaping.awaitWorkers(); // the bound of closing counts in this clock, and they need time of the machine's
            return !closer.isAlive();
        });
        closer.join();
        return drained.get();
    }

    /** Closes, and waits until the watch has seen it: the bound of closing counts in the time that the test moves. */
    private Thread closer(CloseMode mode, Duration atMost, AtomicBoolean drained) {
        long looks = reaping.statistics().looks();
        Thread closer = new Thread(() -> drained.set(reaping.reaper.close(mode, atMost)));
        closer.start();
        await(() -> reaping.reaper.phase() == WatchState.Phase.CLOSED
                || (reaping.reaper.phase() == WatchState.Phase.CLOSING
                        && reaping.statistics().looks() > looks));
        return closer;
    }

    private static Thread daemon(Runnable body) {
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        return thread;
    }

    private static void lingerIn(CountDownLatch latch) {
        assertThatCode(latch::await).doesNotThrowAnyException();
    }

    @SuppressWarnings("unchecked") // the cast is to whatever the caller pretends to throw
    private static <T extends Throwable> T sneaky(Throwable failure) throws T {
        throw (T) failure;
    }
}
