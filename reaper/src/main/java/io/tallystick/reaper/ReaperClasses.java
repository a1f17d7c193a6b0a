package io.tallystick.reaper;

import java.lang.invoke.MethodHandles;
import java.util.List;

/**
 * The classes that have something to initialize. A class whose initialization fails is lost for the process. So a lack
 * of memory at the first expiry would end all later ones. The opening of a reaper initializes them all: if that fails,
 * the opener hears of it.
 */
final class ReaperClasses {
    private static final List<Class<?>> TO_INITIALIZE = List.of(
            CancelOutcome.class,
            CloseMode.class,
            ExpiryReason.class,
            ExpiryEvents.class,
            ReaperLog.Duty.class,
            Registration.class,
            SystemReaperClock.class,
            WatchState.Phase.class,
            WatchState.Call.class);

    private ReaperClasses() {}

    static void initialize() {
        try {
            for (Class<?> each : TO_INITIALIZE) {
                MethodHandles.lookup().ensureInitialized(each);
            }
        } catch (IllegalAccessException ofThisPackage) {
            throw new AssertionError(ofThisPackage);
        }
        new WatchState(new Stripes(1)).close(); // its switch over an enum has a class of its own
    }
}
