package io.tallystick.store;

/**
 * Something went wrong with a store. The message says what, where and what to do; the subclass says what it means for
 * the operation. Unless the subclass says otherwise, the operation had no effect.
 */
public abstract sealed class StoreException extends RuntimeException
        permits StoreIoException,
                OutcomeUnknownException,
                CorruptStoreException,
                UnsupportedFormatException,
                StoreFullException,
                StoreLockedException,
                StoreClosedException,
                StoreFailedException {
    private static final long serialVersionUID = 1L;

    StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
