package io.tallystick.store.spi;

import java.util.concurrent.TimeUnit;

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
        tell(what, null, System.Logger.Level.ERROR, message, cause);
    }

    /**
     * Logs at level ERROR, on a thread of its own, and waits for it for half a second. If the logger throws, this
     * is ignored. If it blocks, perhaps on the same broken disk, the caller goes on. Throws nothing; interrupts do
     * not matter.
     */
    public static void tell(System.Logger logger, String message, Throwable cause) {
        tell(null, logger, System.Logger.Level.ERROR, message, cause);
    }

    /** As {@link #tell(System.Logger, String, Throwable)}, at this level; {@code causeOrNull} may be null. */
    public static void tell(System.Logger logger, System.Logger.Level level, String message, Throwable causeOrNull) {
        tell(null, logger, level, message, causeOrNull);
    }

    // No lambda: the first use of one makes a class, and there may be no memory for it.
    private static void tell(
            Class<?> whatOrNull,
            System.Logger loggerOrNull,
            System.Logger.Level level,
            String message,
            Throwable causeOrNull) {
        try {
            Entry entry = new Entry(whatOrNull, loggerOrNull, level, message, causeOrNull);
            Thread thread = StoreThread.of(entry, "tallystick-failure-log");
            thread.start();
            await(thread);
        } catch (Throwable noThread) {
            log(whatOrNull, loggerOrNull, level, message, causeOrNull);
        }
    }

    private static void log(
            Class<?> whatOrNull,
            System.Logger loggerOrNull,
            System.Logger.Level level,
            String message,
            Throwable causeOrNull) {
        try {
            System.Logger logger = loggerOrNull == null ? System.getLogger(whatOrNull.getName()) : loggerOrNull;
            logger.log(level, message, causeOrNull);
        } catch (Throwable thrown) { // there is no other place to log
        }
    }

    /** What the other thread logs. */
    private static final class Entry implements Runnable {
        private final Class<?> whatOrNull;
        private final System.Logger loggerOrNull;
        private final System.Logger.Level level;
        private final String message;
        private final Throwable causeOrNull;

        Entry(
                Class<?> whatOrNull,
                System.Logger loggerOrNull,
                System.Logger.Level level,
                String message,
                Throwable causeOrNull) {
            this.whatOrNull = whatOrNull;
            this.loggerOrNull = loggerOrNull;
            this.level = level;
            this.message = message;
            this.causeOrNull = causeOrNull;
        }

        @Override
        public void run() {
            log(whatOrNull, loggerOrNull, level, message, causeOrNull);
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
