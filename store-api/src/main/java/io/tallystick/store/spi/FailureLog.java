package io.tallystick.store.spi;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Logs for threads that must not wait. A logger runs code of the user, which may block. A store logs its failure here,
 * and an engine's own thread logs its errors here.
 */
public final class FailureLog {
    private static final long PATIENCE_MILLIS = 500;

    private FailureLog() {}

    /**
     * As {@link #tell(System.Logger, String, Throwable)}, to the logger of this class; it is looked up on the other
     * thread.
     */
    public static void tell(Class<?> what, String message, Throwable cause) {
        tell(() -> System.getLogger(what.getName()), System.Logger.Level.ERROR, message, cause);
    }

    /**
     * Logs at level ERROR, on a thread of its own, and waits for it for half a second. If the logger throws, this
     * is ignored. If it blocks, perhaps on the same broken disk, the caller goes on. Throws nothing; interrupts do
     * not matter.
     */
    public static void tell(System.Logger logger, String message, Throwable cause) {
        tell(logger, System.Logger.Level.ERROR, message, cause);
    }

    /** As {@link #tell(System.Logger, String, Throwable)}, at this level; {@code causeOrNull} may be null. */
    public static void tell(System.Logger logger, System.Logger.Level level, String message, Throwable causeOrNull) {
        tell(() -> logger, level, message, causeOrNull);
    }

    private static void tell(
            Supplier<System.Logger> logger, System.Logger.Level level, String message, Throwable causeOrNull) {
        try {
            Thread thread = new Thread(() -> log(logger, level, message, causeOrNull), "tallystick-failure-log");
            thread.setDaemon(true);
            thread.start();
            await(thread);
        } catch (Throwable noThread) {
            log(logger, level, message, causeOrNull);
        }
    }

    private static void log(
            Supplier<System.Logger> logger, System.Logger.Level level, String message, Throwable causeOrNull) {
        try {
            logger.get().log(level, message, causeOrNull);
        } catch (Throwable thrown) { // there is no other place to log
        }
    }

    private static void await(Thread thread) {
        boolean interrupted = false;
        long patience = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        long begun = System.nanoTime();
        long left = PATIENCE_MILLIS;
        while (left > 0 && thread.isAlive()) {
            try {
                thread.join(left);
            } catch (InterruptedException later) {
                interrupted = true;
            }
            left = TimeUnit.NANOSECONDS.toMillis(patience - (System.nanoTime() - begun));
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
