package io.tallystick.durability;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Stores that are tortured say so at length; here it is expected. */
final class Quiet {
    // Held, because the log manager holds loggers weakly.
    private static final Logger ROOT = Logger.getLogger("");

    private Quiet() {}

    /** Nobody's log messages are made any more, unless {@code tallystick.testkit.logs} is set. */
    static void logs() {
        if (!Boolean.getBoolean("tallystick.testkit.logs")) {
            ROOT.setLevel(Level.OFF);
        }
    }
}
