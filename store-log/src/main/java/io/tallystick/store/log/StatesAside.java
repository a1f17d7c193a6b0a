package io.tallystick.store.log;

import io.tallystick.store.StateKey;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * States that are in the log, and that nobody sees as long as the process lives.
 *
 * <p>Where callers are not held in an outage, a transaction manager has rolled back what it was told is unknown. A
 * state that such a write has made nevertheless is in the log, and would have recovery commit. So it is neither listed
 * nor read, and only counts. A caller that changes it takes it back.
 */
final class StatesAside {
    private final Set<StateKey> keys = ConcurrentHashMap.newKeySet();

    boolean isEmpty() {
        return keys.isEmpty();
    }

    boolean has(StateKey key) {
        return keys.contains(key);
    }

    /** A caller has changed this state. */
    void takeBack(StateKey key) {
        keys.remove(key);
    }

    /** Those of these states that are not set aside. */
    List<StateKey> without(List<StateKey> states, int atMost) {
        return states.stream().filter(key -> !keys.contains(key)).limit(atMost).toList();
    }

    /**
     * Sets states aside.
     *
     * @return the line for the log; empty for no state
     */
    String add(Set<StateKey> made, String place) {
        if (made.isEmpty()) {
            return "";
        }
        keys.addAll(made);
        Set<String> names = new TreeSet<>();
        made.forEach(key -> names.add(key.toPrintable()));
        return "TALLY0342 these states were written to " + place + " although their callers heard that the outcome is"
                + " unknown: " + String.join(", ", names)
                + ". They are set aside: recovery sees them only in the next process. See that every resource has"
                + " rolled back their branches before this process ends, or configure"
                + " tallystick.on-unknown-outcome=halt";
    }
}
