package io.tallystick.tool.command;

import java.util.Objects;

/** Ends a command with a status. The message names the problem, its place and the remedy. */
public final class ToolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitStatus status;

    /**
     * @param status of the process
     * @param message the problem, its place and the remedy, in one line
     */
    public ToolException(ExitStatus status, String message) {
        this(status, message, null);
    }

    /**
     * @param status of the process
     * @param message the problem, its place and the remedy, in one line
     * @param cause for {@code --stacktrace}; may be null
     */
    public ToolException(ExitStatus status, String message, Throwable cause) {
        super(message, cause);
        this.status = Objects.requireNonNull(status);
    }

    /** The status of the process. */
    public ExitStatus status() {
        return status;
    }
}
