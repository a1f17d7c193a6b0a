package io.tallystick.reaper.schedules;

import java.util.List;

/**
 * A few threads that race. Made anew for each schedule, with a constructor that has no parameters; what it uses of the
 * reaper is instrumented, and so is it. Threads must not block: who waits for a lock waits for ever.
 */
public interface Scenario {
    /** What each thread does. */
    List<Runnable> threads();

    /** Whether it went well, once all threads have ended; throws {@link AssertionError} if not. */
    void check();

    /** For use in {@link #check}. */
    static void require(boolean condition, String promise) {
        if (!condition) {
            throw new AssertionError(promise);
        }
    }
}
