package io.tallystick.store;

/** The disk refused something whose outcome is known: nothing was written, or nothing could be read. */
public final class StoreIoException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreIoException(String message, Throwable cause) {
        super("TALLY0010", message, cause);
    }
}
