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
    private static final Logger LOG_OF_STORES = System.getLogger(TallystickObjectStore.class.getName());
    private static final String OF_A_STORE =
            "TALLY0415 the store for Narayana was not opened, and Narayana itself may not say so; mend this and start"
                    + " the process again: ";
    private static final Refusals OF_STORES = new Refusals(LOG_OF_STORES, OF_A_STORE);
    private static final Refusals PRINTED_BY_CALLER = new Refusals(LOG_OF_STORES, OF_A_STORE, Level.DEBUG);

    private final Logger logger;
    private final String beginning;
    private final Level level;
    private final ToldOnce told = new ToldOnce();

    /**
     * @param beginning the beginning of each text; the reason follows
     */
    Refusals(Logger logger, String beginning) {
        this(logger, beginning, Level.ERROR);
    }

    private Refusals(Logger logger, String beginning, Level level) {
        this.logger = logger;
        this.beginning = beginning;
        this.level = level;
    }

    /** The refusals of the adaptors of this process. */
    static Refusals ofStores() {
        return OF_STORES;
    }

    /** The same where the caller prints what it catches: the log has it at level debug. */
    static Refusals printedByCaller() {
        return PRINTED_BY_CALLER;
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
        if (this == PRINTED_BY_CALLER) {
            OF_STORES.told.forget(); // the same stores: a refusal after this is a new one, also with the same text
        }
        return opened;
    }

    private void tell(Throwable refused) {
        String text = beginning + reason(refused);
        if (told.isNew(text)) {
            logger.log(level, text, refused);
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
