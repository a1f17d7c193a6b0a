package io.tallystick.testkit.schedule;

import java.util.Random;

/** A thread goes on with a probability that differs from schedule to schedule; otherwise any thread does. */
final class RandomWalk implements Strategy {
    private static final double[] STAY_PROBABILITIES = {0.2, 0.6, 0.9, 0.97};

    private final Random random;
    private final double stayProbability;

    RandomWalk(Random random) {
        this.random = random;
        this.stayProbability = STAY_PROBABILITIES[random.nextInt(STAY_PROBABILITIES.length)];
    }

    @Override
    public boolean stays(int running) {
        return random.nextDouble() < stayProbability;
    }

    @Override
    public int choose(int[] able, int running, boolean givesWay) {
        return able[random.nextInt(able.length)];
    }
}
