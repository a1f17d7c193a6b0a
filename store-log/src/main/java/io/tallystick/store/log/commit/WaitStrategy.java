package io.tallystick.store.log.commit;

import java.util.Locale;

/** How threads wait for a write that is under way: {@code tallystick.journal.wait-strategy}. */
public enum WaitStrategy {
    /** Threads sleep, and yield first where all processors have work to do anyway. */
    AUTO,
    /** Threads yield first, also where that keeps processors busy that would be idle. */
    YIELDING;

    /** The strategy with this value in the configuration. */
    public static WaitStrategy of(String configurationValue) {
        return valueOf(configurationValue.toUpperCase(Locale.ROOT));
    }
}
