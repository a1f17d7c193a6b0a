package io.tallystick.storage;

import java.io.IOException;

/**
 * A system call failed, and the number of its error is known: texts depend on the process' language, numbers do not.
 */
public final class SystemErrorException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int number;

    /**
     * A failure.
     *
     * @param message the text of the error, with its number
     * @param number Linux' {@code errno}, positive
     */
    public SystemErrorException(String message, int number) {
        super(message);
        this.number = number;
    }

    /** Linux' {@code errno}, positive. */
    public int number() {
        return number;
    }
}
