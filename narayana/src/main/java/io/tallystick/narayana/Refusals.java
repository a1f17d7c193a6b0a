package io.tallystick.narayana;

import io.tallystick.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ServiceConfigurationError;
import java.util.function.Supplier;

/**
 * Logs each reason for a refused opening once. Narayana and the frameworks around it drop the exception in many places,
 * and a later error names no cause.
 *
 * <p><b>Why there is one for the process.</b> See {@link ToldOnce}: the refused adaptors share no other object.
 */
final class Refusals {
    private static final Refusals OF_STORES = new Refusals(
            System.getLogger(TallystickObjectStore.class.getName()),
            "TALLY0415 the store for Narayana was not opened, and Narayana itself may not say so; mend this and start"
                    + " the process again: ");

    private final Logger logger;
    private final String beginning;
    private final ToldOnce told = new ToldOnce();

    /**
     * @param beginning the beginning of each text; the reason follows
     */
    Refusals(Logger logger, String beginning) {
        this.logger = logger;
        this.beginning = beginning;
    }

    /** The refusals of the adaptors of this process. */
    static Refusals ofStores() {
        return OF_STORES;
    }

    /** Opens with the opener. If that throws, the reason is logged and thrown on. */
    <T> T tellingOf(Supplier<T> opener) {
        T opened;
        try {
            opened = opener.get();
        } catch (RuntimeException | Error refused) {
            tell(refused);
            throw refused;
        }
        told.forget();
        return opened;
    }

    private void tell(Throwable refused) {
        String text = beginning + reason(refused);
        if (told.isNew(text)) {
            logger.log(Level.ERROR, text, refused);
        }
    }

    private static String reason(Throwable refused) {
        if (refused instanceof StoreException ours) {
            return ours.messageId() + ' ' + ours.getMessage();
        }
        boolean isOurs = refused instanceof IllegalArgumentException || refused instanceof InstallationException;
        if (isOurs && refused.getMessage() != null) {
            return refused.getMessage();
        }
        if (refused instanceof LinkageError || refused instanceof ServiceConfigurationError) {
            return "a class is missing or does not fit (" + refused
                    + "); put all artifacts that the store needs, of one version, on the class path or into the"
                    + " application server's module";
        }
        return refused.toString();
    }
}
