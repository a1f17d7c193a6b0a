package io.tallystick.store;

/** There is no room; nothing was written. Removals go on working, and writes work again when there is room. */
public final class StoreFullException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreFullException(String message, Throwable cause) {
        super("TALLY0014", message, cause);
    }

    public StoreFullException(String message) {
        super("TALLY0014", message, null);
    }
}
