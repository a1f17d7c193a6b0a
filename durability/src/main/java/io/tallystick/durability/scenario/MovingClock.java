package io.tallystick.durability.scenario;

import io.tallystick.storage.NanoClock;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.schedule.Schedule;
import java.util.Random;

/**
 * The time of the schedule, with some more for each look: a thread that yields until a time must not find that it
 * stands still. Now and then a look is as late as one after a turn of a thread that computes. The schedule runs one
 * thread at a time.
 */
final class MovingClock implements NanoClock {
    private static final int QUICK_NANOS = 20_000;
    private static final long SLOW_NANOS = 8_000_000;
    private static final int ONE_SLOW_IN = 8;

    private final Random random;
    private long moved;

    MovingClock(long seed) {
        random = Seeds.random(seed);
    }

    @Override
    public long nanoTime() {
        moved += random.nextInt(ONE_SLOW_IN) == 0 ? SLOW_NANOS : random.nextInt(QUICK_NANOS);
        return Schedule.nanoTime() + moved;
    }
}
