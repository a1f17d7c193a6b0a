package io.tallystick.store;

/**
 * This version of this store does not read the directory: it holds another store, another engine, or a newer format.
 * Nothing was changed.
 */
public final class UnsupportedFormatException extends StoreException {
    private static final long serialVersionUID = 1L;

    public UnsupportedFormatException(String message, Throwable cause) {
        super("TALLY0013", message, cause);
    }

    public UnsupportedFormatException(String message) {
        super("TALLY0013", message, null);
    }
}
