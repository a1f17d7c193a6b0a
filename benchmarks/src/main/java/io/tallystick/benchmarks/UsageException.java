package io.tallystick.benchmarks;

/** Something that whoever started the program has to change; its message is one line and says what. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }

    UsageException(String message, Throwable cause) {
        super(message, cause);
    }
}
