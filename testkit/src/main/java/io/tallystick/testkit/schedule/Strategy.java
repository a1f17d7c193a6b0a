package io.tallystick.testkit.schedule;

import io.tallystick.testkit.Seeds;
import java.util.Random;

/** Decides which thread of a schedule goes on. Threads are numbered from 0 in the order of their making. */
interface Strategy {
    /** So that the kind of strategy is drawn apart from its choices. */
    long PLACES = 0x570BL << 18;

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

    /** Tells that the running thread has come to a named place of the code. */
    default void passes(String place) {
        // most strategies know no places
    }

    /**
     * The strategy of this seed. A third of the seeds stop threads at places ({@link StopsAtPlaces}). Half of the
     * others walk at random, and the rest use {@link Priorities}.
     */
    static Strategy of(long seed) {
        if (Seeds.random(seed + PLACES).nextInt(3) == 0) {
            return new StopsAtPlaces(Seeds.random(~seed));
        }
        Random random = Seeds.random(~seed);
        return random.nextBoolean() ? new RandomWalk(random) : new Priorities(random);
    }
}
