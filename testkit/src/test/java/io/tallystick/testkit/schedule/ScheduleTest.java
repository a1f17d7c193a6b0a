package io.tallystick.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The explorer finds what there is to find, and nothing where there is nothing. */
class ScheduleTest {
    private static final int SEEDS = 300;

    @Test
    void theRaceOfTwoIncrementsIsFound() {
        assertThat(failures(seed -> increments(seed, counter -> counter.set(counter.get() + 1))))
                .isNotEmpty();
    }

    @Test
    void anAtomicIncrementHasNoRace() {
        assertThat(failures(seed -> increments(seed, Counter::increment))).isEmpty();
    }

    @Test
    void locksTakenInOppositeOrderAreFoundToDeadlock() {
        assertThat(failures(seed -> {
                    ReentrantLock one = new ReentrantLock();
                    ReentrantLock two = new ReentrantLock();
                    Schedule.run(seed, () -> {
                        Thread first = Schedule.start(() -> both(one, two));
                        both(two, one);
                        Schedule.join(first);
                    });
                }))
                .isNotEmpty()
                .allMatch(message -> message.contains("no thread can go on"));
    }

    @Test
    void anUnparkBeforeTheParkIsNotLost() {
        assertThat(failures(seed -> Schedule.run(seed, () -> {
                    Thread parked = Schedule.start(() -> LockSupport.park(this));
                    LockSupport.unpark(parked);
                    Schedule.join(parked);
                })))
                .isEmpty();
    }

    @Test
    void timeStandsStillWhileAnybodyCanRun() {
        assertThat(failures(seed -> Schedule.run(seed, () -> {
                    long begun = Schedule.nanoTime();
                    Thread busy = Schedule.start(() -> {
                        for (int i = 0; i < 50; i++) {
                            Schedule.point();
                        }
                        if (Schedule.nanoTime() != begun) {
                            throw new AssertionError("time has passed");
                        }
                    });
                    Schedule.sleep(1_000);
                    if (Schedule.nanoTime() != begun + 1_000) {
                        throw new AssertionError("slept too long");
                    }
                    Schedule.join(busy);
                })))
                .isEmpty();
    }

    @Test
    void aThreadThatNeverEndsIsFound() {
        assertThatThrownBy(() -> Schedule.run(1, () -> {
                    while (true) {
                        Schedule.point();
                    }
                }))
                .hasMessageContaining("no end after");
    }

    @Test
    @Timeout(10)
    void aThreadThatCatchesEverythingStandsStillOnceItsScheduleHasFailed() {
        AtomicReference<Thread> swallowing = new AtomicReference<>();
        assertThatThrownBy(() -> Schedule.run(new RandomWalk(Seeds.random(1)), () -> {
                    swallowing.set(Schedule.thread(ScheduleTest::swallowEverything));
                    swallowing.get().start();
                    while (true) {
                        Schedule.point();
                    }
                }))
                .hasMessageContaining("no end after");

        while (swallowing.get().getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    /** As code under test does that must not die. */
    private static void swallowEverything() {
        while (true) {
            try {
                Schedule.point();
            } catch (Throwable swallowed) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void aWaitWithATimeEndsWithoutASignal() {
        assertThat(failures(seed -> Schedule.run(seed, () -> {
                    Object lock = new Object();
                    long begun = Schedule.nanoTime();
                    Monitor.enter(lock);
                    Monitor.wait(lock, 5);
                    Monitor.exit(lock);
                    if (Schedule.nanoTime() - begun != 5_000_000) {
                        throw new AssertionError("waited for another time");
                    }
                })))
                .isEmpty();
    }

    @Test
    void aSignalEndsAWaitBeforeItsTime() {
        assertThat(failures(seed -> Schedule.run(seed, () -> {
                    Object lock = new Object();
                    boolean[] waits = new boolean[1];
                    Thread waiter = Schedule.start(() -> {
                        Monitor.enter(lock);
                        waits[0] = true;
                        Monitor.wait(lock, 5);
                        Monitor.exit(lock);
                    });
                    while (!waits[0]) {
                        Schedule.giveWay();
                    }
                    Monitor.enter(lock);
                    Monitor.notifyAll(lock);
                    Monitor.exit(lock);
                    Schedule.join(waiter);
                    if (Schedule.nanoTime() != 0) {
                        throw new AssertionError("the signal was lost");
                    }
                })))
                .isEmpty();
    }

    @Test
    void theSameSeedGivesTheSameInterleaving() {
        assertThat(trace(5)).isEqualTo(trace(5));
        assertThat(LongStream.range(0, SEEDS).mapToObj(ScheduleTest::trace).distinct())
                .hasSizeGreaterThan(SEEDS / 5);
    }

    @Test
    void aStaticInitializerWhichRunsInTheFirstScheduleOnlyChangesNoSchedule() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(traceAtPlaces(seed, true)).isEqualTo(traceAtPlaces(seed, false));
        }
    }

    private static List<Integer> traceAtPlaces(long seed, boolean initializes) {
        List<Integer> trace = new ArrayList<>();
        Schedule.run(seed, () -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int number = i;
                threads.add(Schedule.start(() -> {
                    for (int step = 0; step < 5; step++) {
                        if (initializes && step == 0) {
                            Schedule.beginAtomic();
                            Schedule.point("of the initializer");
                            Schedule.endAtomic();
                        }
                        Schedule.point("step " + step);
                        trace.add(number);
                    }
                }));
            }
            threads.forEach(Schedule::join);
        });
        return trace;
    }

    private static List<Integer> trace(long seed) {
        List<Integer> trace = new ArrayList<>();
        Schedule.run(seed, () -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int number = i;
                threads.add(Schedule.start(() -> {
                    for (int step = 0; step < 10; step++) {
                        Schedule.point();
                        trace.add(number);
                    }
                }));
            }
            threads.forEach(Schedule::join);
        });
        return trace;
    }

    /** Each access of it is a point, as the rewriter makes it for an atomic. */
    private static final class Counter {
        private int value;

        int get() {
            Schedule.point();
            return value;
        }

        void set(int newValue) {
            Schedule.point();
            value = newValue;
        }

        void increment() {
            Schedule.point();
            value++;
        }
    }

    private interface Increment {
        void on(Counter counter);
    }

    private static void increments(long seed, Increment increment) {
        Counter counter = new Counter();
        Schedule.run(seed, () -> {
            Thread one = Schedule.start(() -> increment.on(counter));
            Thread two = Schedule.start(() -> increment.on(counter));
            Schedule.join(one);
            Schedule.join(two);
            if (counter.get() != 2) {
                throw new AssertionError("an increment was lost");
            }
        });
    }

    private static void both(ReentrantLock first, ReentrantLock second) {
        first.lock();
        second.lock();
        second.unlock();
        first.unlock();
    }

    private static List<String> failures(LongConsumer schedule) {
        List<String> failures = new ArrayList<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                schedule.accept(seed);
            } catch (AssertionError found) {
                failures.add(found.getMessage());
            }
        }
        return failures;
    }
}
