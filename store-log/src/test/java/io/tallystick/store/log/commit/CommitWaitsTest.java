package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.log.commit.CommitWaits.Waiter;
import io.tallystick.store.log.spi.WaitStrategy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class CommitWaitsTest {
    private static final int PROCESSORS = 2;
    private static final int FULL_CROWD = CommitWaits.FULL_CROWD_A_PROCESSOR * PROCESSORS;
    private static final long USUAL = WriteTimes.FIRST_GUESS_NANOS;
    private static final long TURN_OF_A_COMPUTING_THREAD = 4_000_000;

    private long now = Long.MAX_VALUE - 100_000_000; // the clock may overflow
    private long nextYield;
    private int yields;
    private int looks;
    private int queued;
    private Runnable duringYield = () -> {};

    private final CommitWaits waits = waits(WaitStrategy.EXPECTED_END);

    private CommitWaits waits(WaitStrategy strategy) {
        return new CommitWaits(
                strategy,
                () -> {
                    looks++;
                    return now;
                },
                PROCESSORS,
                () -> {
                    yields++;
                    now += nextYield;
                    duringYield.run();
                });
    }

    @Test
    void aThreadYieldsWhereItsWriteShouldEndSoon() {
        waits.begun(now);
        Waiter waiter = waits.newWaiter(1);
        assertThat(waiter.yieldOrSleep()).isZero();
        assertThat(yields).isOne();
    }

    @Test
    void aThreadSleepsUntilShortlyBeforeTheExpectedEndAndYieldsThen() {
        usualTime(2_000_000);
        now++;
        Waiter waiter = waits.newWaiter(1);
        waits.begun(now);
        long slept = waiter.yieldOrSleep();
        assertThat(slept).isBetween(1_700_000L, 2_300_000L);
        assertThat(yields).isZero();

        now += slept / 2; // woken early, for whatever reason: a second sleep costs more than it saves
        assertThat(waiter.yieldOrSleep()).isZero();
        assertThat(yields).isOne();
    }

    @Test
    void aCallerThatComesWhileTheWriterAwaitsItsCohortSleepsNoLongerThanThatWriteTakes() {
        usualTime(1_000_000);
        waits.taken(2);
        queued = 1;
        nextYield = 1_000;
        long[] slept = new long[1];
        duringYield = () -> {
            slept[0] = waits.newWaiter(2).yieldOrSleep();
            queued = 2;
        };

        waits.awaitCohort(() -> queued);

        assertThat(slept[0]).isBetween(800_000L, 1_100_000L);
    }

    @Test
    void aThreadWhoseWriteIsLateSleepsUntilItIsWoken() {
        waits.begun(now);
        Waiter waiter = waits.newWaiter(1);
        for (int first = 0; first < CommitWaits.FIRST_YIELDS; first++) {
            assertThat(waiter.yieldOrSleep()).isZero();
        }
        now += 2 * USUAL - 1;
        assertThat(waiter.yieldOrSleep()).isZero();
        now++;
        assertThat(waiter.yieldOrSleep()).isEqualTo(Waiter.UNTIL_WOKEN);
        assertThat(waiter.yieldOrSleep()).isEqualTo(Waiter.UNTIL_WOKEN);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 31})
    void allThreadsTogetherYieldSoOftenAlsoWhileTheClockStandsStill(int committers) {
        waits.taken(committers);
        waits.begun(now);
        Waiter waiter = waits.newWaiter(1);
        while (waiter.yieldOrSleep() == 0) {
            assertThat(yields).isLessThanOrEqualTo(CommitWaits.YIELDS + CommitWaits.FIRST_YIELDS);
        }
        assertThat(yields).isEqualTo(CommitWaits.YIELDS / committers + CommitWaits.FIRST_YIELDS);
    }

    @Test
    void inAFullCrowdAThreadYieldsAFewTimesAndOneInSixteenLooksAtTheClock() {
        waits.taken(FULL_CROWD);
        waits.begun(now);
        looks = 0;
        for (int depth = 1; depth < CommitWaits.TIMED_ONE_IN; depth++) {
            yields = 0;
            Waiter waiter = waits.newWaiter(depth);
            while (waiter.yieldOrSleep() == 0) {
                assertThat(yields).isLessThanOrEqualTo(CommitWaits.FIRST_YIELDS);
            }
            assertThat(yields).isEqualTo(CommitWaits.FIRST_YIELDS);
            assertThat(waiter.yieldOrSleep()).isEqualTo(Waiter.UNTIL_WOKEN);
        }
        assertThat(looks).isZero();

        waits.newWaiter(CommitWaits.TIMED_ONE_IN);
        assertThat(looks).isOne();
    }

    @Test
    void aCrowdIsForgottenWithinAHundredAndFiftyBatches() {
        waits.taken(FULL_CROWD);
        for (int batch = 0; batch < 150; batch++) {
            waits.taken(batch % 2);
        }
        waits.begun(now);
        Waiter waiter = waits.newWaiter(1);
        while (waiter.yieldOrSleep() == 0) {
            assertThat(yields).isLessThanOrEqualTo(2_000);
        }
        assertThat(yields).isEqualTo(CommitWaits.YIELDS + CommitWaits.FIRST_YIELDS);
    }

    @Test
    void aWriterYieldsUntilAsManyAreQueuedAsInTheLastBatch() {
        waits.taken(4);
        queued = 1;
        duringYield = () -> queued++;
        waits.awaitCohort(() -> queued);
        assertThat(queued).isEqualTo(4);
    }

    @Test
    void aWriterYieldsForTheFirstOfItsCohortBeforeItParks() {
        waits.taken(4);
        duringYield = () -> queued = yields == 5 ? 1 : 0;
        waits.awaitFirst(() -> queued);
        assertThat(yields).isEqualTo(5);

        waits.taken(0);
        queued = 0;
        waits.awaitFirst(() -> queued);
        assertThat(yields).isEqualTo(5);
    }

    @Test
    void aWriterThatHasItsCohortLooksAtTheClockOnce() {
        waits.taken(1);
        queued = 1;
        looks = 0;
        waits.awaitCohort(() -> queued);
        assertThat(looks).isOne();
        assertThat(yields).isZero();
    }

    @Test
    void aWriterWaitsForItsCohortForAShortTimeOnly() {
        waits.taken(4);
        nextYield = CommitWaits.COHORT_NANOS / 3;
        waits.awaitCohort(() -> queued);
        assertThat(yields).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 31, FULL_CROWD, 10 * FULL_CROWD})
    void aWriterYieldsSeldomerForMoreAlsoWhileTheClockStandsStill(int committers) {
        waits.taken(committers);
        waits.awaitCohort(() -> queued);
        assertThat(yields).isEqualTo(committers < FULL_CROWD ? CommitWaits.COHORT_YIELDS / committers : 1);
    }

    @Test
    void inAFullCrowdAWriterYieldsOnceAlsoIfItsCohortIsThere() {
        waits.taken(FULL_CROWD);
        queued = 2 * FULL_CROWD;
        waits.awaitCohort(() -> queued);
        assertThat(yields).isOne();
    }

    @Test
    void inAFullCrowdNoThreadSetsATimer() {
        usualTime(2_000_000);
        waits.taken(FULL_CROWD);
        waits.begun(now);
        assertThat(waits.newWaiter(CommitWaits.TIMED_ONE_IN).yieldOrSleep()).isZero();
        assertThat(yields).isOne();
    }

    @Test
    void aWriterAwaitsNoCohortAfterABatchOfNone() {
        waits.taken(4);
        waits.taken(0);
        waits.awaitCohort(() -> queued);
        assertThat(yields).isZero();
    }

    @Test
    void whileTheProcessorsAreBusyThreadsSleepAtOnceAndWithoutATimer() {
        makeBusy();
        usualTime(2_000_000);
        yields = 0;
        Waiter waiter = waits.newWaiter(1);
        waits.begun(now);
        assertThat(waiter.yieldOrSleep()).isEqualTo(Waiter.UNTIL_WOKEN);
        waits.taken(4);
        waits.awaitCohort(() -> queued);
        assertThat(yields).isZero();
    }

    @Test
    void busyEndsWhereAThreadWaits() {
        makeBusy();
        nextYield = 0;
        now += YieldGauge.REST_NANOS;
        waits.newWaiter(1).yieldOrSleep();
        assertThat(waits.isBusy()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4})
    void busyEndsAlsoWhereOnlyTheWriterYields(int alreadyQueued) {
        makeBusy();
        nextYield = 0;
        waits.taken(4);
        queued = alreadyQueued;
        now += YieldGauge.REST_NANOS;
        waits.awaitCohort(() -> queued);
        assertThat(waits.isBusy()).as("a waiting thread should try first").isTrue();
        now += YieldGauge.REST_NANOS;
        waits.awaitCohort(() -> queued);
        assertThat(waits.isBusy()).isFalse();
    }

    @Test
    void threadsThatGaveUpYieldingDoNotExcuseSlowYields() {
        List<Waiter> gaveUp = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            waits.begun(now);
            Waiter waiter = waits.newWaiter(1);
            assertThat(waiter.yieldOrSleep()).isZero();
            now += 10 * USUAL;
            while (waiter.yieldOrSleep() == 0) {
                assertThat(yields).isLessThan(10_000);
            }
            gaveUp.add(waiter);
        }
        makeBusy();
        assertThat(gaveUp).hasSize(500);
    }

    @Test
    void aThreadThatEndsItsWaitTwiceIsCountedOnce() {
        for (int i = 0; i < 500; i++) {
            waits.begun(now);
            Waiter waiter = waits.newWaiter(1);
            assertThat(waiter.yieldOrSleep()).isZero();
            waiter.pause();
            waiter.pause();
        }
        yieldsTake(YieldGauge.SLOW_NANOS / 2);
        assertThat(waits.isBusy()).isFalse();
    }

    @Test
    void sleepingThreadsNeverYield() {
        CommitWaits sleeping = waits(WaitStrategy.SLEEP);
        assertThat(sleeping.isBusy()).isTrue();
        assertThat(sleeping.newWaiter(1).yieldOrSleep()).isEqualTo(Waiter.UNTIL_WOKEN);
        assertThat(sleeping.sleeper().yieldOrSleep()).isEqualTo(Waiter.UNTIL_WOKEN);
        sleeping.taken(4);
        sleeping.awaitCohort(() -> queued);
        sleeping.awaitFirst(() -> queued);
        assertThat(yields).isZero();
    }

    private void usualTime(long nanos) {
        for (int write = 0; write < 200; write++) {
            waits.landed(nanos, now);
        }
    }

    private void makeBusy() {
        yieldsTake(TURN_OF_A_COMPUTING_THREAD);
        assertThat(waits.isBusy()).isTrue();
        nextYield = 0;
    }

    /** Lets a thread wait for writes, with yields that take so long, for two windows. */
    private void yieldsTake(long nanos) {
        nextYield = nanos;
        long begun = now;
        while (now - begun < 2 * YieldGauge.WINDOW_NANOS && !waits.isBusy()) {
            waits.begun(now);
            Waiter waiter = waits.newWaiter(1);
            while (waiter.yieldOrSleep() == 0) {
                assertThat(now - begun).isLessThan(10 * YieldGauge.WINDOW_NANOS);
            }
            waiter.pause();
            waits.landed(USUAL, now);
        }
    }
}
