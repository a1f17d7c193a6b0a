package io.tallystick.store;

/**
 * Another owner has taken the log over, so this process may not write to it any more. Nothing was written by this
 * operation: the new owner decides what becomes of its transaction. Close the store and end the process.
 */
public final class StoreFencedException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreFencedException(String message, Throwable cause) {
        super("TALLY0019", message, cause);
    }
}
