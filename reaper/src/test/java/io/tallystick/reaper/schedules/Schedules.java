package io.tallystick.reaper.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Runs a {@link Scenario} under one schedule after the other, on any JDK.
 *
 * <p>One thread runs at a time. Before each access to a field that may change, to an atomic or through a VarHandle,
 * {@link Turns} may hand over to another thread; these places are put into the code of the reaper, and of the
 * scenario, by {@link InstrumentingLoader}. Which thread goes on is decided by a path of choices, and a depth-first
 * search walks through all paths. Nothing is drawn by lot: a run that fails fails every time, and its error tells the
 * steps.
 *
 * <p>What is explored is sequentially consistent, as the accesses are on which the reaper relies. Every test has a
 * canary beside it: the same scenario with the very race, which must be found.
 */
public final class Schedules {
    /**
     * How often a thread that could go on has to make way in one schedule, at most; races that need more are rare.
     * {@code -Dtest.jvm.extra=-Dtallystick.test.preemptions=4} for a thorough run.
     */
    private static final int FEW = Integer.getInteger("tallystick.test.preemptions", 2);

    private static final int ANY = Integer.MAX_VALUE;

    private Schedules() {}

    /** Passes if the scenario goes well under every schedule with few preemptions. */
    public static void explore(Class<? extends Scenario> scenario) {
        explore(scenario, FEW);
    }

    /** Passes if the scenario goes well under every schedule there is. For short ones. */
    public static void exploreAll(Class<? extends Scenario> scenario) {
        explore(scenario, ANY);
    }

    /** Passes if a schedule is found under which the scenario breaks this promise. */
    public static void expectToFind(String promise, Class<? extends Scenario> scenario) {
        assertThatThrownBy(() -> new Exploration(scenario, FEW).run())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(promise);
    }

    private static void explore(Class<? extends Scenario> scenario, int preemptions) {
        int schedules = new Exploration(scenario, preemptions).run();
        System.out.println(scenario.getSimpleName() + ": " + schedules + " schedules");
        assertThat(schedules).as("schedules").isGreaterThan(50);
    }
}
