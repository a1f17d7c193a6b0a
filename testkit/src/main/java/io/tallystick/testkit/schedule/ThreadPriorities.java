package io.tallystick.testkit.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A priority for each thread, drawn when the thread is first seen. A thread may fall behind all others. */
final class ThreadPriorities {
    private final Random random;
    private final List<Integer> priorities = new ArrayList<>();
    private int lowest;

    ThreadPriorities(Random random) {
        this.random = random;
    }

    /** The first of these threads. */
    int first(int[] able) {
        int first = able[0];
        for (int thread : able) {
            if (of(thread) > of(first)) {
                first = thread;
            }
        }
        return first;
    }

    /** Puts this thread behind all others. */
    void fallBehind(int thread) {
        of(thread);
        priorities.set(thread, --lowest);
    }

    private int of(int thread) {
        while (priorities.size() <= thread) {
            priorities.add(random.nextInt(Integer.MAX_VALUE));
        }
        return priorities.get(thread);
    }
}
