package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class YieldTrialTest {
    private static final long BATCH_NANOS = 1_000_000;
    private static final int EPOCH_BATCHES = (int) (YieldTrial.EPOCH_NANOS / BATCH_NANOS);

    private final YieldTrial trial = new YieldTrial(Long.MAX_VALUE - 5 * YieldTrial.EPOCH_NANOS);
    private long now = Long.MAX_VALUE - 5 * YieldTrial.EPOCH_NANOS; // the clock may overflow
    private long records;
    private int epochsYielding;

    @Test
    void nobodyYieldsBeforeItWasTried() {
        assertThat(trial.isWorthwhile()).isFalse();
    }

    @Test
    void yieldingIsTakenUpSoonWhereItIsBetter() {
        run(2 * YieldTrial.SHORTEST_PAUSE_EPOCHS, 100, 140);
        assertThat(trial.isWorthwhile()).isTrue();
    }

    @Test
    void whatIsBetterIsKeptNearlyAllTheTime() {
        run(3000, 100, 140);
        epochsYielding = 0;
        run(1000, 100, 140);
        assertThat(epochsYielding).isGreaterThan(970);

        YieldTrialTest other = new YieldTrialTest();
        other.run(3000, 100, 30);
        other.epochsYielding = 0;
        other.run(1000, 100, 30);
        assertThat(other.epochsYielding).isLessThan(30);
    }

    @Test
    void smallGainIsNoReasonToYield() {
        run(1000, 100, 104);
        assertThat(epochsYielding).isLessThan(60);
    }

    @Test
    void yieldingIsGivenUpWithinAnInstantWhenItTurnsBad() {
        run(3000, 100, 140);
        assertThat(trial.isWorthwhile()).isTrue();
        run(4 + YieldTrial.TRIAL_EPOCHS + 1, 60, 15);
        assertThat(trial.isWorthwhile()).isFalse();
    }

    @Test
    void loadThatRisesIsNoReasonToYield() {
        for (int epoch = 0; epoch < 24; epoch++) {
            int sleeping = (int) (1000 * Math.pow(1.05, epoch));
            run(1, sleeping, sleeping * 9 / 10);
        }
        assertThat(epochsYielding).isLessThan(8);
        assertThat(trial.isWorthwhile()).isFalse();
    }

    @Test
    void loadThatFallsIsNoReasonNotToYield() {
        for (int epoch = 0; epoch < 24; epoch++) {
            int sleeping = (int) (3000 * Math.pow(0.95, epoch));
            run(1, sleeping, sleeping * 114 / 100);
        }
        assertThat(trial.isWorthwhile()).isTrue();
    }

    @Test
    void yieldingIsFoundGoodAfterTheLoadHasFallenForGood() {
        run(3000, 100, 30);
        run(2 * YieldTrial.LONGEST_PAUSE_EPOCHS, 20, 28);
        assertThat(trial.isWorthwhile()).isTrue();
    }

    @Test
    void oneSlowEpochIsNoDrop() {
        run(3000, 100, 140);
        epochsYielding = 0;
        run(1, 100, 20);
        run(50, 100, 140);
        assertThat(epochsYielding).isGreaterThan(45);
    }

    @Test
    void anEpochInWhichTheDiskStallsDecidesNothing() {
        for (int stalled = 0; stalled < YieldTrial.TRIAL_EPOCHS; stalled++) {
            YieldTrialTest crowd = new YieldTrialTest();
            crowd.run(YieldTrial.SHORTEST_PAUSE_EPOCHS, 100, 101);
            for (int epoch = 0; epoch < YieldTrial.TRIAL_EPOCHS; epoch++) {
                crowd.run(1, epoch == stalled ? 10 : 100, epoch == stalled ? 10 : 101);
            }
            crowd.run(1, 100, 101);
            assertThat(crowd.trial.isWorthwhile()).as("epoch %d", stalled).isFalse();
        }
    }

    @Test
    void fewCommittersAreNoTrial() {
        for (int i = 0; i < 100 * EPOCH_BATCHES; i++) {
            now += BATCH_NANOS;
            trial.landed(2, false, now);
            assertThat(trial.isWorthwhile()).isFalse();
        }
    }

    @Test
    void idleTimeIsNoDrop() {
        run(3000, 100, 140);
        now += 3_600_000_000_000L;
        run(1, 100, 140);
        assertThat(trial.isWorthwhile()).isTrue();
    }

    /** Lets epochs pass in which batches carry so many records, sleeping or yielding. */
    private void run(int epochs, int sleeping, int yielding) {
        for (int i = 0; i < epochs * EPOCH_BATCHES; i++) {
            now += BATCH_NANOS;
            boolean yields = trial.isWorthwhile();
            records = yields ? yielding : sleeping;
            trial.landed((int) records, true, now);
            if (yields && i % EPOCH_BATCHES == 0) {
                epochsYielding++;
            }
        }
    }
}
