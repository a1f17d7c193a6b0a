package io.tallystick.testkit.schedule;

import java.util.Random;

/** Decides which thread of a schedule goes on. Threads are numbered from 0 in the order of their making. */
interface Strategy {
    /** Whether the thread, which can go on, does so without a look at the others. */
    boolean stays(int running);

    /**
     * The thread that goes on.
     *
     * @param able the numbers of the threads that can go on, ascending; not empty
     * @param running the number of the thread that has the turn; it may be unable to go on
     * @param givesWay whether that thread asks others to go first
     */
    int choose(int[] able, int running, boolean givesWay);

    /** The strategy of this seed: half of the seeds walk at random, the others use {@link Priorities}. */
    static Strategy of(Random random) {
        return random.nextBoolean() ? new RandomWalk(random) : new Priorities(random);
    }
}
