package io.tallystick.reaper.errors;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Where the reaper fails, and with what: the woven classes call {@link #reach} before each place that may fail. */
public final class ErrorPlan {
    // All guarded by the class.
    private static final Set<String> REACHED = new TreeSet<>();
    private static String site = "";
    private static Supplier<Error> error = () -> new InternalError("no plan");
    private static int left;

    private ErrorPlan() {}

    /** From now on this place fails so many times. */
    static synchronized void arm(String failing, Supplier<Error> with, int times) {
        site = failing;
        error = with;
        left = times;
    }

    /** From now on nothing fails. */
    public static synchronized void disarm() {
        left = 0;
    }

    /** The places that were reached since the last call. */
    static synchronized Set<String> takeReached() {
        Set<String> taken = new TreeSet<>(REACHED);
        REACHED.clear();
        return taken;
    }

    /** Called by the woven classes. */
    public static void reach(String reached) {
        Supplier<Error> failing = null;
        synchronized (ErrorPlan.class) {
            REACHED.add(reached);
            if (left > 0 && reached.equals(site)) {
                left--;
                failing = error;
            }
        }
        if (failing != null) {
            throw failing.get();
        }
    }
}
