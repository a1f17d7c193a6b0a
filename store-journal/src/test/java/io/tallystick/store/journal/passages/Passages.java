package io.tallystick.store.journal.passages;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What happens at the places that {@link PassageLoader} has marked. Called by the code that it loads. */
public final class Passages {
    private static final Map<String, Runnable> ACTIONS = new ConcurrentHashMap<>();

    private Passages() {}

    /** Runs this on every thread that comes to the place, until {@link #clear}. */
    static void set(String place, Runnable action) {
        ACTIONS.put(place, action);
    }

    static void clear(Iterable<String> places) {
        places.forEach(ACTIONS::remove);
    }

    /** A thread is at this place. */
    public static void at(String place) {
        Runnable action = ACTIONS.get(place);
        if (action != null) {
            action.run();
        }
    }
}
