package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jetbrains.lincheck.Lincheck;

/**
 * Runs a few threads under every schedule that a model checker finds within its budget. A test that uses it has a canary
 * beside it: the same test on a version with the very race, which must be found. AssertJ cannot be used in what is
 * explored; {@link #require} can.
 */
final class Schedules {
    /** Schedules for each test; {@code -Dtest.jvm.extra=-Dtallystick.test.schedules=20000} for a thorough run. */
    private static final int BUDGET = Integer.getInteger("tallystick.test.schedules", 250);

    private Schedules() {}

    static void explore(Runnable test) {
        assumeTrue(
                Runtime.version().feature() < 21,
                "the model checker sees no races on JDK " + Runtime.version() + "; schedules are explored on JDK 17");
        Lincheck.runConcurrentTest(BUDGET, test);
    }

    static void expectToFind(String broken, Runnable test) {
        try {
            explore(test);
        } catch (AssertionError found) {
            assertThat(found).hasMessageContaining(broken);
            return;
        }
        fail("the explorer did not find where this does not hold: " + broken);
    }

    static void inParallel(Runnable... bodies) {
        Thread[] threads = new Thread[bodies.length];
        for (int i = 0; i < bodies.length; i++) {
            threads[i] = new Thread(bodies[i]);
            threads[i].start();
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException unexpected) {
                throw new AssertionError(unexpected);
            }
        }
    }

    static void require(boolean condition, String broken) {
        if (!condition) {
            throw new AssertionError(broken);
        }
    }
}
