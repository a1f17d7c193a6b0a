package io.tallystick.store.log.commit;

import java.util.Arrays;

/**
 * Finds out by trial whether the threads of a crowd should yield: the writer before it takes the queue, and waiting
 * threads before they sleep.
 *
 * <p>In a crowd of committers yielding makes batches larger, and most waiting threads need not sleep and be woken.
 * Beside threads that compute without end it costs time: the scheduler counts the turn that was given away as used.
 * Only the rate of records that reach the disk tells the two apart. So the rate is measured in epochs. From time to
 * time both ways are tried, an epoch each, in turns. The order of the turns favours neither way when the load rises or
 * falls. The other way is kept if its middle epochs are clearly better. The best and the worst epoch do not count,
 * because the disk may have stalled. A trial that changes nothing makes the time until the next longer; a sudden drop
 * of the rate brings it forward.
 *
 * <p>{@link #landed} is called under the layout lock, {@link #isWorthwhile} by any thread.
 */
final class YieldTrial {
    static final long EPOCH_NANOS = 20_000_000L;
    static final int TRIAL_EPOCHS = 8;
    static final int SHORTEST_PAUSE_EPOCHS = 10;
    static final int LONGEST_PAUSE_EPOCHS = 320;

    /** How much better the other way must be. */
    private static final double GAIN = 1.05;
    /** Which share of the usual rate is a sudden drop. */
    private static final double DROP = 0.6;
    /** This many low epochs in a row make a drop. */
    private static final int DROP_EPOCHS = 3;
    /** Weight of the newest epoch in the usual rate. */
    private static final double NEWEST = 0.25;

    private volatile boolean worthwhile;

    private long epochBegun;
    private long epochRecords;
    private boolean epochCrowded;
    private double usualRate;
    private int lowEpochs;
    private int pauseEpochs = SHORTEST_PAUSE_EPOCHS;
    private int epochsUntilTrial = SHORTEST_PAUSE_EPOCHS;
    // Epochs of the trial so far; -1 while there is none.
    private int trialEpoch = -1;
    private final double[] ownRates = new double[TRIAL_EPOCHS / 2];
    private final double[] otherRates = new double[TRIAL_EPOCHS / 2];

    /** Starts now. */
    YieldTrial(long nowNanos) {
        epochBegun = nowNanos;
    }

    /** Whether threads should yield. */
    boolean isWorthwhile() {
        return worthwhile;
    }

    /** A batch is on disk. */
    void landed(int records, boolean crowded, long nowNanos) {
        epochRecords += records;
        epochCrowded |= crowded;
        long elapsed = nowNanos - epochBegun;
        if (elapsed < EPOCH_NANOS) {
            return;
        }
        // An epoch is over with the first batch after its time. One that took much longer was mostly idle.
        if (epochCrowded && elapsed < 5 * EPOCH_NANOS) {
            epochOver(epochRecords / (double) elapsed);
        }
        epochBegun = nowNanos;
        epochRecords = 0;
        epochCrowded = false;
    }

    private void epochOver(double rate) {
        if (trialEpoch >= 0) {
            trialEpochOver(rate);
            return;
        }
        boolean low = usualRate > 0 && rate < DROP * usualRate;
        lowEpochs = low ? lowEpochs + 1 : 0;
        boolean dropped = lowEpochs >= DROP_EPOCHS;
        if (usualRate == 0 || dropped) {
            usualRate = rate;
            lowEpochs = 0;
        } else if (!low) {
            usualRate += NEWEST * (rate - usualRate);
        }
        if (--epochsUntilTrial <= 0 || (dropped && worthwhile)) {
            trialEpoch = 0;
            worthwhile = !worthwhile;
        }
    }

    private void trialEpochOver(double rate) {
        boolean wasOthers = isOthersTurn(trialEpoch);
        (wasOthers ? otherRates : ownRates)[trialEpoch / 2] = rate;
        trialEpoch++;
        if (trialEpoch < TRIAL_EPOCHS) {
            if (isOthersTurn(trialEpoch) != wasOthers) {
                worthwhile = !worthwhile;
            }
            return;
        }
        double own = middle(ownRates);
        double other = middle(otherRates);
        boolean isBetter = other > GAIN * own;
        if (isBetter != wasOthers) {
            worthwhile = !worthwhile;
        }
        usualRate = isBetter ? other : own;
        pauseEpochs = isBetter ? SHORTEST_PAUSE_EPOCHS : Math.min(pauseEpochs * 5 / 4, LONGEST_PAUSE_EPOCHS);
        epochsUntilTrial = pauseEpochs;
        trialEpoch = -1;
    }

    /** The mean without the least and the greatest. Sorts. */
    private static double middle(double[] rates) {
        Arrays.sort(rates);
        double sum = 0;
        for (int i = 1; i < rates.length - 1; i++) {
            sum += rates[i];
        }
        return sum / (rates.length - 2);
    }

    /** Other, own, own, other, and so on: one of each in every two epochs. */
    private static boolean isOthersTurn(int epoch) {
        return (epoch + 1) % 4 < 2;
    }
}
