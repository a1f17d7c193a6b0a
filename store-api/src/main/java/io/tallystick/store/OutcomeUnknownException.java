package io.tallystick.store;

/**
 * The operation may or may not be on disk, and only recovery can tell. A transaction manager must not turn this into a
 * rollback. It must leave the transaction in doubt or end the process. The configuration {@code
 * tallystick.on-unknown-outcome=halt} ends it.
 */
public final class OutcomeUnknownException extends StoreException {
    private static final long serialVersionUID = 1L;

    public OutcomeUnknownException(String message, Throwable cause) {
        super("TALLY0011", message, cause);
    }
}
