package io.tallystick.storage;

import java.io.IOException;
import java.util.Objects;

/** A directory cannot become a store's own; the message names it, the reason and the remedy. Nothing was changed in it. */
public final class StoreDirectoryException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    StoreDirectoryException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = Objects.requireNonNull(reason);
    }

    /** What stands in the way. */
    public Reason reason() {
        return reason;
    }

    /** What stands in the way of taking a directory. */
    public enum Reason {
        /** Missing and not to be created, a file, a link, or not accessible. */
        UNUSABLE,
        /** Another owner has it. */
        LOCKED,
        /** It holds another kind of store, a newer format, or files of something else. */
        FOREIGN,
        /** Its identity file is damaged. */
        CORRUPT
    }
}
