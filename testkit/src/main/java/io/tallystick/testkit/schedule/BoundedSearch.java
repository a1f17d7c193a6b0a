package io.tallystick.testkit.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Runs a body under each schedule that takes the turn from a thread against its will at most so many times (M.
 * Musuvathi and S. Qadeer, "Iterative context bounding", 2007). It is meant for small scenarios: the number of
 * schedules grows with the number of points to the power of the bound. A thread that yields gives way to the next one
 * in turn, so loops that yield do not multiply the schedules.
 */
public final class BoundedSearch {
    private final int preemptions;
    private final List<Choice> path = new ArrayList<>();
    private long schedules;
    private boolean complete;

    private BoundedSearch(int preemptions) {
        this.preemptions = preemptions;
    }

    private static final class Choice {
        final int[] options;
        int taken;

        Choice(int[] options) {
            this.options = options;
        }
    }

    /**
     * Searches until each schedule was run, or so many were.
     *
     * @param preemptions the most times that a thread loses its turn although it could go on
     * @param most the most schedules
     * @param bodies a new body, with new state, for each schedule. Bodies do the same under the same schedule.
     * @throws AssertionError a schedule failed; the message has its number in the search
     */
    public static BoundedSearch run(int preemptions, long most, Supplier<Schedule.Body> bodies) {
        BoundedSearch search = new BoundedSearch(preemptions);
        while (!search.complete && search.schedules < most) {
            search.schedules++;
            try {
                Schedule.run(search.new Replay(), bodies.get());
            } catch (AssertionError found) {
                throw new AssertionError(
                        "schedule " + search.schedules + " of the search with " + preemptions + " preemptions: "
                                + found.getMessage(),
                        found);
            }
            search.goToNext();
        }
        return search;
    }

    /** The number of schedules that were run; no two are the same. */
    public long schedules() {
        return schedules;
    }

    /** Whether no schedule of the bound is left. */
    public boolean isComplete() {
        return complete;
    }

    private void goToNext() {
        while (!path.isEmpty()) {
            Choice last = path.get(path.size() - 1);
            if (++last.taken < last.options.length) {
                return;
            }
            path.remove(path.size() - 1);
        }
        complete = true;
    }

    /** Goes along the path, and at its end makes the first choice at each step. */
    private final class Replay implements Strategy {
        private int depth;
        private int spent;

        @Override
        public boolean stays(int running) {
            return spent == preemptions;
        }

        @Override
        public int choose(int[] able, int running, boolean givesWay) {
            int position = positionOf(running, able);
            if (givesWay) {
                return nextAfter(running, able);
            }
            if (able.length == 1) {
                return able[0];
            }
            if (position > 0) {
                able[position] = able[0]; // to go on is the first choice
                able[0] = running;
            }
            if (depth == path.size()) {
                path.add(new Choice(able));
            }
            Choice choice = path.get(depth++);
            if (!Arrays.equals(choice.options, able)) {
                throw new IllegalStateException("the body does not do the same under the same schedule");
            }
            if (position >= 0 && choice.taken > 0) {
                spent++;
            }
            return choice.options[choice.taken];
        }

        private static int positionOf(int running, int[] able) {
            for (int i = 0; i < able.length; i++) {
                if (able[i] == running) {
                    return i;
                }
            }
            return -1;
        }

        private static int nextAfter(int running, int[] able) {
            for (int thread : able) {
                if (thread > running) {
                    return thread;
                }
            }
            return able[0];
        }
    }
}
