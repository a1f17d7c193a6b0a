package io.tallystick.store.journal.engine;

/**
 * Finds out by trial whether waiting threads should yield before they sleep.
 *
 * <p>In a crowd of committers yielding spares most of them being put to sleep and woken. Beside threads that compute without
 * end it is a bad bargain: the scheduler counts the turn that was given away as used. Nothing tells the two apart but the rate of
 * records that reach the disk. So the rate is measured in epochs; from time to time the other way is tried for a moment,
 * and kept if the rate is clearly better. A trial that changes nothing doubles the time until the next; a sudden drop of
 * the rate brings it forward.
 *
 * <p>{@link #landed} is called under the layout lock; {@link #isWorthwhile} by anybody.
 */
final class YieldTrial {
    static final long EPOCH_NANOS = 20_000_000L;
    static final int TRIAL_EPOCHS = 3;
    static final int SHORTEST_PAUSE_EPOCHS = 10;
    static final int LONGEST_PAUSE_EPOCHS = 640;

    /** How much better the other way must be. */
    private static final double GAIN = 1.08;
    /** Which share of the usual rate is a sudden drop. */
    private static final double DROP = 0.6;
    /** As many low epochs in a row are one. */
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
    // Epochs of the trial so far, the first of which is not counted; -1 while there is none.
    private int trialEpoch = -1;
    private double trialRates;

    /** Starts now. */
    YieldTrial(long nowNanos) {
        epochBegun = nowNanos;
    }

    /** Whether a thread that has to wait should yield first. */
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
            worthwhile = !worthwhile;
            trialEpoch = 0;
            trialRates = 0;
        }
    }

    private void trialEpochOver(double rate) {
        if (trialEpoch > 0) {
            trialRates += rate;
        }
        if (trialEpoch++ < TRIAL_EPOCHS) {
            return;
        }
        double tried = trialRates / TRIAL_EPOCHS;
        if (tried > GAIN * usualRate) {
            usualRate = tried;
            pauseEpochs = SHORTEST_PAUSE_EPOCHS;
        } else {
            worthwhile = !worthwhile;
            pauseEpochs = Math.min(2 * pauseEpochs, LONGEST_PAUSE_EPOCHS);
        }
        epochsUntilTrial = pauseEpochs;
        trialEpoch = -1;
    }
}
