package io.tallystick.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.testkit.Seeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Each strategy finds the races that it is for. */
class StrategiesTest {
    private static final int SEEDS = 300;
    private static final int LONG_WORK = 1_000;
    private static final int MANY_SEEDS = 2_000;

    @Test
    void prioritiesFindAThreadThatStopsForLongWhichARandomWalkDoesNot() {
        assertThat(findsOfALongStop(Priorities::new)).isGreaterThan(5);
        assertThat(findsOfALongStop(RandomWalk::new)).isZero();
    }

    @Test
    void stopsAtPlacesFindAThreadThatStopsWhereItSeldomIs() {
        assertThat(findsOfAStopAtARarePlace(StopsAtPlaces::new)).isGreaterThan(5);
        assertThat(findsOfAStopAtARarePlace(RandomWalk::new)).isZero();
    }

    @Test
    void aThirdOfTheSeedsStopThreadsAtPlaces() {
        long stopping = LongStream.range(0, MANY_SEEDS)
                .filter(seed -> Strategy.of(seed) instanceof StopsAtPlaces)
                .count();

        assertThat(stopping).isBetween(MANY_SEEDS * 3L / 10, MANY_SEEDS * 4L / 10);
    }

    @Test
    void aThreadThatYieldsUntilAnotherHasComeEndsUnderPriorities() {
        for (long seed = 0; seed < SEEDS; seed++) {
            boolean[] hasCome = new boolean[1];
            Schedule.run(new Priorities(Seeds.random(seed)), () -> {
                Thread other = Schedule.start(() -> hasCome[0] = true);
                while (!hasCome[0]) {
                    Schedule.giveWay();
                }
                Schedule.join(other);
            });
        }
    }

    @Test
    void theSearchRunsEachInterleavingOnce() {
        Set<String> orders = new HashSet<>();
        BoundedSearch search = BoundedSearch.run(4, 1_000, () -> {
            StringBuilder order = new StringBuilder();
            return () -> {
                Thread one = Schedule.thread(() -> twoSteps(order, 'a'));
                Thread two = Schedule.thread(() -> twoSteps(order, 'b'));
                one.start();
                two.start();
                Schedule.join(one);
                Schedule.join(two);
                orders.add(order.toString());
            };
        });

        assertThat(search.isComplete()).isTrue();
        assertThat(orders).containsExactlyInAnyOrder("aabb", "abab", "abba", "baab", "baba", "bbaa");
    }

    @Test
    void withoutPreemptionsTheSearchFindsNoRaceAndWithOneItDoes() {
        assertThat(searchIncrements(0).isComplete()).isTrue();
        assertThatThrownBy(() -> searchIncrements(1))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("of the search with 1 preemptions", "an increment was lost");
    }

    @Test
    void aSearchEndsAtItsMostSchedules() {
        BoundedSearch search = BoundedSearch.run(3, 7, () -> () -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(Schedule.start(() -> work(5)));
            }
            threads.forEach(Schedule::join);
        });

        assertThat(search.isComplete()).isFalse();
        assertThat(search.schedules()).isEqualTo(7);
    }

    @Test
    void coverageCountsSchedulesThatDifferAndPlaces() {
        ScheduleCoverage coverage = new ScheduleCoverage();
        for (int twice = 0; twice < 2; twice++) {
            for (long seed = 0; seed < 2; seed++) {
                long of = seed;
                coverage.watch(() -> Schedule.run(new RandomWalk(Seeds.random(of)), () -> {
                    Thread other = Schedule.start(() -> work(20));
                    Schedule.point("here");
                    Schedule.at("there");
                    Schedule.join(other);
                }));
            }
        }
        Schedule.run(3, () -> Schedule.point("elsewhere"));

        assertThat(coverage.distinctSchedules()).isEqualTo(2);
        assertThat(coverage.sitesReached()).isEqualTo(2);
    }

    /** A reader sees the first of two steps, and the writer stops before the second until the reader has worked. */
    private static int findsOfALongStop(Function<Random, Strategy> strategy) {
        int finds = 0;
        for (long seed = 0; seed < MANY_SEEDS; seed++) {
            int[] steps = new int[1];
            boolean[] found = new boolean[1];
            Schedule.run(strategy.apply(Seeds.random(seed)), () -> {
                Thread writer = Schedule.start(() -> {
                    steps[0]++;
                    Schedule.point();
                    steps[0]++;
                });
                Thread reader = Schedule.start(() -> {
                    if (steps[0] == 1) {
                        work(LONG_WORK);
                        found[0] = steps[0] == 1;
                    }
                });
                Schedule.join(writer);
                Schedule.join(reader);
            });
            finds += found[0] ? 1 : 0;
        }
        return finds;
    }

    /** The writer passes one place often and another once, where it must stop until the reader has worked. */
    private static int findsOfAStopAtARarePlace(Function<Random, Strategy> strategy) {
        int finds = 0;
        for (long seed = 0; seed < MANY_SEEDS; seed++) {
            boolean[] isAtTheRarePlace = new boolean[1];
            boolean[] found = new boolean[1];
            Schedule.run(strategy.apply(Seeds.random(seed)), () -> {
                Thread writer = Schedule.start(() -> {
                    for (int i = 0; i < LONG_WORK; i++) {
                        Schedule.point("often");
                    }
                    isAtTheRarePlace[0] = true;
                    Schedule.point("once");
                    isAtTheRarePlace[0] = false;
                });
                Thread reader = Schedule.start(() -> {
                    work(LONG_WORK);
                    if (isAtTheRarePlace[0]) {
                        work(LONG_WORK);
                        found[0] = isAtTheRarePlace[0];
                    }
                });
                Schedule.join(writer);
                Schedule.join(reader);
            });
            finds += found[0] ? 1 : 0;
        }
        return finds;
    }

    private static BoundedSearch searchIncrements(int preemptions) {
        return BoundedSearch.run(preemptions, 1_000, () -> {
            int[] counter = new int[1];
            return () -> {
                Thread one = Schedule.start(() -> increment(counter));
                Thread two = Schedule.start(() -> increment(counter));
                Schedule.join(one);
                Schedule.join(two);
                if (counter[0] != 2) {
                    throw new AssertionError("an increment was lost");
                }
            };
        });
    }

    private static void increment(int[] counter) {
        int before = counter[0];
        Schedule.point();
        counter[0] = before + 1;
    }

    private static void twoSteps(StringBuilder order, char name) {
        order.append(name);
        Schedule.point();
        order.append(name);
    }

    private static void work(int points) {
        for (int i = 0; i < points; i++) {
            Schedule.point();
        }
    }
}
