package io.tallystick.narayana;

import com.arjuna.ats.arjuna.coordinator.TxStats;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.util.Optional;

/**
 * Narayana's own count of transactions that were rolled back because of their time limit ({@code TxStats}). Users have
 * it in their dashboards. Narayana's reaper raises it, and so does ours. The method is not public, so it is called by
 * reflection.
 */
final class TimeoutCount {
    private static final System.Logger LOG = System.getLogger(TallystickTransactionManager.class.getName());

    private TimeoutCount() {}

    /**
     * Raises the count if Narayana's statistics are on. It never throws, because the transaction is rolled back
     * already.
     */
    static void increment() {
        if (TxStats.enabled()) {
            Reached.METHOD.ifPresent(TimeoutCount::call);
        }
    }

    private static void call(Method method) {
        try {
            method.invoke(TxStats.getInstance());
        } catch (ReflectiveOperationException | RuntimeException refused) {
            LOG.log(Level.DEBUG, "a timeout was not counted", refused);
        }
    }

    /** A class of its own, so that the method is looked up, and a failure logged, only while statistics are on. */
    private static final class Reached {
        static final Optional<Method> METHOD = find();

        private static Optional<Method> find() {
            try {
                Method method = TxStats.class.getDeclaredMethod("incrementTimeouts");
                method.setAccessible(true);
                return Optional.of(method);
            } catch (ReflectiveOperationException | RuntimeException missing) {
                LOG.log(
                        Level.WARNING,
                        "TALLY0417 Narayana's count of timed-out transactions cannot be raised in this version of it,"
                                + " and stays as it is; the reaper's own statistics count them",
                        missing);
                return Optional.empty();
            }
        }
    }
}
