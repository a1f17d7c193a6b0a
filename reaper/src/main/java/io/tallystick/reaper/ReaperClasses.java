package io.tallystick.reaper;

import java.lang.invoke.MethodHandles;
import java.util.List;

/**
 * The classes that have something to initialize. A class whose initialization fails is lost for the process. So a lack
 * of memory at the first expiry would end all later ones. The opening of a reaper initializes them: if that fails, the
 * opener hears of it. Not {@link ExpiryEvents}: without them only events are missing.
 */
final class ReaperClasses {
    private ReaperClasses() {}

    static void initialize() {
        List<Class<?>> classes = List.of(
                CancelOutcome.class,
                CloseMode.class,
                ExpiryReason.class,
                ReaperLog.Duty.class,
                Registration.class,
                SystemReaperClock.class,
                WatchState.Phase.class,
                WatchState.Call.class);
        try {
            for (Class<?> each : classes) {
                MethodHandles.lookup().ensureInitialized(each);
            }
        } catch (IllegalAccessException ofThisPackage) {
            throw new AssertionError(ofThisPackage);
        }
        new WatchState(new Stripes(1)).close(); // its switch over an enum has a class of its own
    }
}
