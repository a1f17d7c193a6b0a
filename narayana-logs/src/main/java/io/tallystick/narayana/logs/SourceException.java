package io.tallystick.narayana.logs;

import java.util.Objects;

/** A log cannot be read as one. The message says which, why, and what to do. */
public final class SourceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    SourceException(Reason reason, String message) {
        super(message);
        this.reason = Objects.requireNonNull(reason);
    }

    /** The reasons, which ask for different actions. */
    public enum Reason {
        /** The directory has several logs: one of them must be named. */
        SEVERAL,
        /** Something writes to the log: it must be stopped. */
        CHANGED,
        /** A file is too large to be a part of a log. */
        TOO_LARGE
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }
}
