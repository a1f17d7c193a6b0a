package io.tallystick.store;

/** The store was closed. */
public final class StoreClosedException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreClosedException(String message, Throwable cause) {
        super("TALLY0016", message, cause);
    }

    public StoreClosedException(String message) {
        super("TALLY0016", message, null);
    }
}
