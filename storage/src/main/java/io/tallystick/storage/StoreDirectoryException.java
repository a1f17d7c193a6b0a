package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A directory cannot become a store's own; the message names it, the reason and the remedy. Nothing was changed in it.
 */
public final class StoreDirectoryException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final transient @Nullable Path damagedFile;

    StoreDirectoryException(Reason reason, String message, @Nullable Throwable cause) {
        this(reason, message, cause, null);
    }

    private StoreDirectoryException(
            Reason reason, String message, @Nullable Throwable cause, @Nullable Path damagedFile) {
        super(message, cause);
        this.reason = Objects.requireNonNull(reason);
        this.damagedFile = damagedFile;
    }

    static StoreDirectoryException corrupt(Path file, String message) {
        return new StoreDirectoryException(Reason.CORRUPT, message, null, file);
    }

    /** The reason. */
    public Reason reason() {
        return reason;
    }

    /** The file that is damaged; empty for another reason than {@link Reason#CORRUPT}. */
    public Optional<Path> damagedFile() {
        return Optional.ofNullable(damagedFile);
    }

    /** The reasons why a directory cannot be taken. */
    public enum Reason {
        /** It is missing and not to be created, a file, a link, or not accessible. */
        UNUSABLE,
        /** Another owner has it. */
        LOCKED,
        /**
         * A write that this process gave up may still land in it; until the process ends, it can have no other owner.
         */
        UNANSWERED,
        /** It holds another kind of store, another node's, a newer format, or files of something else. */
        FOREIGN,
        /** It holds a copy of a store, and a node's id was given; the original may still run. */
        COPY,
        /** The file that names its store or its node is damaged. */
        CORRUPT,
        /** It lacks data that its store had acknowledged, and no person has accepted that yet; see {@link LossMark}. */
        LOST
    }
}
