package io.tallystick.reaper.schedules;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;

/** The depth-first search through the schedules of one scenario. */
final class Exploration {
    private final Class<? extends Scenario> scenario;
    private final int preemptions;

    /** At each place with a choice, which was taken. */
    private final List<Integer> path = new ArrayList<>();
    /** At each of these places, how many there were. */
    private final List<Integer> widths = new ArrayList<>();

    Exploration(Class<? extends Scenario> scenario, int preemptions) {
        this.scenario = scenario;
        this.preemptions = preemptions;
    }

    /** Returns how many schedules there were. */
    int run() {
        Constructor<? extends Scenario> maker = makerOf(scenario);
        runOnce(maker); // initializes the classes, so that each schedule after it takes the same steps
        path.clear();
        int schedules = 0;
        do {
            widths.clear();
            runOnce(maker);
            schedules++;
        } while (nextPath());
        return schedules;
    }

    private void runOnce(Constructor<? extends Scenario> maker) {
        Scenario fresh = make(maker);
        Turns turns = new Turns(fresh.threads(), preemptions, this::choose);
        turns.run();
        try {
            fresh.check();
        } catch (AssertionError broken) {
            throw new AssertionError(
                    broken.getMessage() + "\n  after " + String.join("\n        ", turns.trace()), broken);
        }
    }

    /** Which of so many threads goes on, the present one being the first. */
    private int choose(int width) {
        int place = widths.size();
        widths.add(width);
        if (place == path.size()) {
            path.add(0);
        }
        return path.get(place);
    }

    private boolean nextPath() {
        for (int place = widths.size() - 1; place >= 0; place--) {
            int choice = path.get(place) + 1;
            path.subList(place, path.size()).clear();
            if (choice < widths.get(place)) {
                path.add(choice);
                return true;
            }
        }
        return false;
    }

    private static Constructor<? extends Scenario> makerOf(Class<? extends Scenario> scenario) {
        try {
            Constructor<? extends Scenario> maker = new InstrumentingLoader()
                    .loadClass(scenario.getName())
                    .asSubclass(Scenario.class)
                    .getDeclaredConstructor();
            maker.setAccessible(true);
            return maker;
        } catch (ReflectiveOperationException notAScenario) {
            throw new IllegalArgumentException(scenario + " has no constructor without parameters", notAScenario);
        }
    }

    private static Scenario make(Constructor<? extends Scenario> maker) {
        try {
            return maker.newInstance();
        } catch (ReflectiveOperationException failed) {
            throw new AssertionError("the scenario could not be made", failed);
        }
    }
}
