package io.tallystick.store;

/** The store has failed stop after an earlier error, which is the cause. Nothing was written by this operation. */
public final class StoreFailedException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreFailedException(String message, Throwable cause) {
        super("TALLY0017", message, cause);
    }
}
