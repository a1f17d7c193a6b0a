package io.tallystick.tool;

import java.util.Objects;

/** Ends a command with a status and a message that says what, where and what to do. */
public final class ToolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitStatus status;

    /**
     * @param status what the process ends with
     * @param message what, where and what to do, in one line
     */
    public ToolException(ExitStatus status, String message) {
        this(status, message, null);
    }

    /**
     * @param status what the process ends with
     * @param message what, where and what to do, in one line
     * @param cause for {@code --stacktrace}; may be null
     */
    public ToolException(ExitStatus status, String message, Throwable cause) {
        super(message, cause);
        this.status = Objects.requireNonNull(status);
    }

    /** What the process ends with. */
    public ExitStatus status() {
        return status;
    }
}
