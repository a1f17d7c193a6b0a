package io.tallystick.store;

/** Another owner has the directory, in this process or in another one; the message tells what is known of it. Nothing was
 * changed. */
public final class StoreLockedException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreLockedException(String message, Throwable cause) {
        super("TALLY0015", message, cause);
    }

    public StoreLockedException(String message) {
        super("TALLY0015", message, null);
    }
}
