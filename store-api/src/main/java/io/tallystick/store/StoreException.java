package io.tallystick.store;

/**
 * An operation of a store failed. The message names the fault, the place and the remedy; the subclass says what the
 * failure means for the operation. Unless the subclass says otherwise, the operation had no effect.
 */
public abstract sealed class StoreException extends RuntimeException
        permits StoreIoException,
                OutcomeUnknownException,
                CorruptStoreException,
                UnsupportedFormatException,
                StoreFullException,
                StoreLockedException,
                StoreClosedException,
                StoreFailedException,
                StoreFencedException {
    private static final long serialVersionUID = 1L;

    private final String messageId;

    StoreException(String messageId, String message, Throwable cause) {
        super(message, cause);
        this.messageId = messageId;
    }

    /** The number under which docs/troubleshooting.md has this family of errors, such as {@code TALLY0014}. */
    public final String messageId() {
        return messageId;
    }

    /** The class, the message's number, and the message. */
    @Override
    public String toString() {
        return getClass().getName() + ": " + messageId + " " + getLocalizedMessage();
    }
}
