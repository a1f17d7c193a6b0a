package io.tallystick.store.log.commit;

import java.util.Locale;

/** How threads wait for a write that is under way: {@code tallystick.journal.wait-strategy}. */
public enum WaitStrategy {
    /** They sleep, and yield first where all processors have work to do anyway. */
    AUTO,
    /** They yield first, also where that keeps processors busy which would have nothing to do. */
    YIELDING;

    /** The strategy with this value in the configuration. */
    public static WaitStrategy of(String configurationValue) {
        return valueOf(configurationValue.toUpperCase(Locale.ROOT));
    }
}
