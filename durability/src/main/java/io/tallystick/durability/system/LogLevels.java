package io.tallystick.durability.system;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Turns logs off: a store under failures logs much, and here that is expected. */
public final class LogLevels {
    // Held, because the log manager holds loggers weakly.
    private static final Logger ROOT = Logger.getLogger("");

    private LogLevels() {}

    /** Turns all log messages off, unless {@code tallystick.testkit.logs} is set. */
    public static void silence() {
        if (!Boolean.getBoolean("tallystick.testkit.logs")) {
            ROOT.setLevel(Level.OFF);
        }
    }
}
