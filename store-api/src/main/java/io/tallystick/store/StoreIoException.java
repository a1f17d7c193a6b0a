package io.tallystick.store;

/** The disk refused something whose outcome is known: nothing was written, or nothing could be read. */
public final class StoreIoException extends StoreException {
    private static final long serialVersionUID = 1L;
    private static final String COPY = "TALLY0022";

    public StoreIoException(String message, Throwable cause) {
        super("TALLY0010", message, cause);
    }

    private StoreIoException(String messageId, String message, Throwable cause) {
        super(messageId, message, cause);
    }

    /**
     * The log lacks data that was acknowledged, a process has marked that, and no person has accepted it yet. Nothing
     * was changed. Its {@linkplain #messageId() number} is TALLY0021.
     */
    public static StoreIoException ofMarkedLoss(String message, Throwable cause) {
        return new StoreIoException("TALLY0021", message, cause);
    }

    /**
     * The directory holds a copy of a store, and the original may still run. Its {@linkplain #messageId() number} is
     * TALLY0022. Nothing was changed; docs/place.md says how to go on.
     */
    public static StoreIoException ofACopy(String message, Throwable cause) {
        return new StoreIoException(COPY, message, cause);
    }

    /** Whether the directory holds a copy of a store: see {@link #ofACopy}. */
    public boolean isOfACopy() {
        return messageId().equals(COPY);
    }
}
