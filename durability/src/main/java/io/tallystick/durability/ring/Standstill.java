package io.tallystick.durability.ring;

import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Prints what a process does, and holds the thread that comes to a chosen step, so that it is killed there. */
final class Standstill {
    /** The first word of the line that a thread prints before it waits for ever. */
    static final String WAITING = "waiting";

    private final PrintStream out;
    private volatile String phase;
    private volatile int times;
    private final Map<String, Integer> steps = new ConcurrentHashMap<>();

    /** @param times the occurrence of the step at which a thread waits; 0 for none */
    Standstill(PrintStream out, String phase, int times) {
        this.out = out;
        this.phase = phase;
        this.times = times;
    }

    /** Chooses another step. Steps are counted from now on. */
    void choose(String chosenPhase, int chosenTimes) {
        steps.clear();
        phase = chosenPhase;
        times = chosenTimes;
    }

    /** At the chosen step the thread prints that it waits, and waits for ever. */
    void step(String what) {
        if (steps.merge(what, 1, Integer::sum) == times && what.equals(phase)) {
            say(WAITING, what);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException nobodyDoes) {
                throw new IllegalStateException(nobodyDoes);
            }
        }
    }

    void say(String what, String rest) {
        synchronized (out) {
            out.println(what + " " + rest);
            out.flush();
        }
    }
}
