package io.tallystick.store;

/**
 * Another owner has the directory, in this process or in another one; the message describes the owner as far as it is
 * known. Nothing was changed.
 */
public final class StoreLockedException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreLockedException(String message, Throwable cause) {
        super("TALLY0015", message, cause);
    }

    public StoreLockedException(String message) {
        super("TALLY0015", message, null);
    }

    private StoreLockedException(String messageId, String message, Throwable cause) {
        super(messageId, message, cause);
    }

    /**
     * The directory belongs to this process until the process ends, because a write to it was given up and may still
     * land. Its {@linkplain #messageId() number} is TALLY0018.
     */
    public static StoreLockedException whileAWriteIsOut(String message, Throwable cause) {
        return new StoreLockedException("TALLY0018", message, cause);
    }
}
