package io.tallystick.store;

import java.nio.file.Path;
import java.util.Objects;

/** Bytes that were acknowledged are damaged. Nothing was changed; the message says where and what to do. */
public final class CorruptStoreException extends StoreException {
    private static final long serialVersionUID = 1L;

    private final transient Path file;
    private final long offset;
    private final String reason;

    /**
     * @param file the damaged file
     * @param offset where in the file the damage was noticed, bytes
     * @param reason the fault that was found there
     * @param remedy what the operator can do
     */
    public CorruptStoreException(Path file, long offset, String reason, String remedy) {
        super("TALLY0012", "file=" + file + " offset=" + offset + ": " + reason + "; " + remedy, null);
        this.file = Objects.requireNonNull(file);
        this.offset = offset;
        this.reason = Objects.requireNonNull(reason);
    }

    private CorruptStoreException(String place, String reason, String remedy) {
        super("TALLY0012", place + ": " + reason + "; " + remedy, null);
        this.file = null;
        this.offset = 0;
        this.reason = Objects.requireNonNull(reason);
    }

    /**
     * The damage is in a log on another machine.
     *
     * @param place the log, and where in it the damage was noticed
     * @param reason the fault that was found there
     * @param remedy what the operator can do
     */
    public static CorruptStoreException inRemoteLog(String place, String reason, String remedy) {
        return new CorruptStoreException(place, reason, remedy);
    }

    /** The damaged file; null in a log on another machine, and after serialization. */
    public Path file() {
        return file;
    }

    /** Where in the file the damage was noticed, bytes; 0 in a log on another machine. */
    public long offset() {
        return offset;
    }

    /** The fault that was found there. */
    public String reason() {
        return reason;
    }
}
