package io.tallystick.testkit.schedule;

import java.util.Random;

/**
 * Each thread has a priority, and the first of those that can go on does so. At a few steps the running thread falls
 * behind all others (S. Burckhardt and others, "A randomized scheduler with probabilistic guarantees of finding bugs",
 * 2010). With {@code d - 1} such steps it finds each bug of depth {@code d} with a known probability: here {@code d} is
 * 3. So it stops one thread for long at one place, which a random walk seldom does.
 *
 * <p>The paper draws the steps from the length of a schedule, which is not known before its end. So the length is drawn
 * too, from 16 to 4,096, each power of two as often as the others. A thread that yields falls behind, because it may
 * wait for a thread of lower priority.
 */
final class Priorities implements Strategy {
    private static final int DEPTH = 3;
    private static final int SHORTEST_LOG = 4;
    private static final int LONGEST_LOG = 12;

    private final int[] changes = new int[DEPTH - 1];
    private final ThreadPriorities priorities;
    private int step;

    Priorities(Random random) {
        int length = 1 << SHORTEST_LOG + random.nextInt(LONGEST_LOG - SHORTEST_LOG + 1);
        for (int i = 0; i < changes.length; i++) {
            changes[i] = 1 + random.nextInt(length);
        }
        this.priorities = new ThreadPriorities(random);
    }

    @Override
    public boolean stays(int running) {
        return false;
    }

    @Override
    public int choose(int[] able, int running, boolean givesWay) {
        step++;
        if (givesWay || isChange()) {
            priorities.fallBehind(running);
        }
        return priorities.first(able);
    }

    private boolean isChange() {
        for (int change : changes) {
            if (change == step) {
                return true;
            }
        }
        return false;
    }
}
