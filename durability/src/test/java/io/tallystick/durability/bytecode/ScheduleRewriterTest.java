package io.tallystick.durability.bytecode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.testkit.schedule.Schedule;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rewritten class shows each race that it has, and none that it does not have. */
class ScheduleRewriterTest {
    private static final String COUNTERS = "io.tallystick.durability.bytecode.SharedCounters";
    private static final int SEEDS = 200;

    @ParameterizedTest
    @ValueSource(strings = {"RacyVolatile", "RacyPlain", "RacyHandle", "RacyAtomic", "RacyMap"})
    void aRaceOfTwoIncrementsIsFound(String counter) throws Exception {
        assertThat(outcomes(counter, Map.of())).contains("1", "2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ComputedInMap",
                "Locked",
                "InMonitor",
                "SynchronizedMethod",
                "WaitingForAnother",
                "WaitingWithATime",
                "InOtherThreads"
            })
    void whatHasNoRaceShowsNone(String counter) throws Exception {
        assertThat(outcomes(counter, Map.of())).containsExactly("2");
    }

    @Test
    void threadIdsAndProcessorsAreThoseOfTheScheduleAndNotOfTheMachine() throws Exception {
        assertThat(outcomes("CountingThreadIds", Map.of())).containsExactly("5"); // ids 0 and 1, twice 2 processors
    }

    @Test
    void aLostWakeUpIsADeadlock() throws Exception {
        assertThat(outcomes("LosingWakeUps", Map.of()))
                .contains("2")
                .anyMatch(outcome -> outcome.startsWith("I12 liveness violated: no thread can go on"));
    }

    @Test
    void whatNoScheduleSeesIsRefusedByName() {
        assertThatThrownBy(() -> outcomes("Unknown", Map.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("SharedCounters$Unknown", "java.util.concurrent.CountDownLatch");
    }

    @Test
    void whatIsSaidToBeUnseenIsNotRefused() throws Exception {
        Map<String, Set<String>> unseen = Map.of(COUNTERS, Set.of("CountDownLatch"));

        assertThat(outcomes("Unknown", unseen)).containsExactly("0");
    }

    @Test
    void aReferenceToAMethodOfAnAtomicIsRefused() {
        assertThatThrownBy(() -> outcomes("Referring", Map.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("SharedCounters$Referring", "AtomicInteger.incrementAndGet");
    }

    /** What the counter shows after two threads under many schedules, or why one of them failed. */
    private static Set<String> outcomes(String name, Map<String, Set<String>> unseen) throws Exception {
        Constructor<?> making =
                new Rewriting(unseen).loadClass(COUNTERS + "$" + name).getDeclaredConstructor();
        making.setAccessible(true);
        Set<String> outcomes = new TreeSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            Object counter = making.newInstance();
            Runnable increment = (Runnable) counter;
            try {
                Schedule.run(seed, () -> {
                    Thread one = Schedule.start(increment::run);
                    Thread two = Schedule.start(increment::run);
                    Schedule.join(one);
                    Schedule.join(two);
                });
                outcomes.add(String.valueOf(((IntSupplier) counter).getAsInt()));
            } catch (AssertionError failed) {
                outcomes.add(failed.getMessage());
            }
        }
        return outcomes;
    }

    /** Loads the counters rewritten. */
    private static final class Rewriting extends ClassLoader {
        private final ScheduleRewriter rewriter;

        Rewriting(Map<String, Set<String>> unseen) {
            super(ScheduleRewriterTest.class.getClassLoader());
            rewriter = new ScheduleRewriter(getParent(), List.of(COUNTERS), unseen);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null || !name.startsWith(COUNTERS)) {
                return loaded != null ? loaded : super.loadClass(name, resolve);
            }
            try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = rewriter.rewritten(file.readAllBytes());
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }
    }
}
