package io.tallystick.testkit.schedule;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Each thread has a priority, and some places of the code are drawn; a thread that comes to a drawn place may fall
 * behind all others. {@link Priorities} draws steps, so a place that is passed a thousand times is drawn a thousand
 * times as often as one that is passed once. Here each place is as likely as the others, so threads stop also where
 * they seldom are.
 */
final class StopsAtPlaces implements Strategy {
    // One place in so many is drawn. Which of these it is differs from schedule to schedule.
    private static final int[] PLACES_TO_ONE = {2, 8, 32};
    // A thread stops once in so many times at a drawn place.
    private static final int[] PASSAGES_TO_STOP = {1, 2};
    private static final int MOST_STOPS = 64;

    private final Random random;
    private final ThreadPriorities priorities;
    private final int placesToOne;
    private final int passagesToStop;
    private final Map<String, Boolean> drawn = new HashMap<>();
    private int stops;
    private boolean isAtADrawnPlace;

    StopsAtPlaces(Random random) {
        this.random = random;
        this.priorities = new ThreadPriorities(random);
        this.placesToOne = PLACES_TO_ONE[random.nextInt(PLACES_TO_ONE.length)];
        this.passagesToStop = PASSAGES_TO_STOP[random.nextInt(PASSAGES_TO_STOP.length)];
    }

    @Override
    public void passes(String place) {
        isAtADrawnPlace = drawn.computeIfAbsent(place, any -> random.nextInt(placesToOne) == 0);
    }

    @Override
    public boolean stays(int running) {
        return false;
    }

    @Override
    public int choose(int[] able, int running, boolean givesWay) {
        if (givesWay || stopsHere()) {
            priorities.fallBehind(running);
        }
        return priorities.first(able);
    }

    private boolean stopsHere() {
        boolean stops = isAtADrawnPlace && this.stops < MOST_STOPS && random.nextInt(passagesToStop) == 0;
        isAtADrawnPlace = false;
        if (stops) {
            this.stops++;
        }
        return stops;
    }
}
