package io.tallystick.durability.scenario;

import io.tallystick.testkit.schedule.Schedule;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/** A counter that two threads increment without a lock. An explorer that does not find this race does not work. */
public final class RacyCounter implements LongConsumer {
    /** A new counter for each schedule. */
    public RacyCounter() {}

    @Override
    public void accept(long seed) {
        AtomicInteger counter = new AtomicInteger();
        Schedule.run(seed, () -> {
            Thread one = Schedule.start(() -> counter.set(counter.get() + 1));
            Thread two = Schedule.start(() -> counter.set(counter.get() + 1));
            Schedule.join(one);
            Schedule.join(two);
            if (counter.get() != 2) {
                throw new AssertionError("the race was found");
            }
        });
    }
}
