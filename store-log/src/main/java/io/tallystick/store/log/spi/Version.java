package io.tallystick.store.log.spi;

import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordFormat;
import org.jspecify.annotations.Nullable;

/**
 * One image of one key: what the index points to, and where its record is.
 *
 * <p>An object of this class itself is a version that recovery found on disk. One that is on its way there is a
 * {@link io.tallystick.store.log.commit.PendingAppend}, which stays in the index when it has landed.
 */
@SuppressWarnings("exports") // @Nullable: it is for the compiler, and users need no module of it
public class Version {
    private final StateKey key;
    private final int flags;
    private final int committedLength;
    private final int shadowLength;
    private final int recordLength;

    // Written before the version is queued, and dropped by the settling thread to spare memory.
    private volatile byte @Nullable [] record;

    // Where the record is; set by the writer under the layout lock.
    private @Nullable RecordHome home;
    private long position;

    // A later version is on disk. Guarded by the layout lock.
    private boolean superseded;

    // The engine keeps the record in memory although it is on disk. Guarded by the layout lock.
    private boolean cached;

    /** A version whose record is encoded already. */
    protected Version(StateKey key, int flags, int committedLength, int shadowLength, byte @Nullable [] record) {
        this.key = key;
        this.flags = flags;
        this.committedLength = committedLength;
        this.shadowLength = shadowLength;
        this.record = record;
        this.recordLength = record == null ? 0 : record.length;
    }

    /** The same image once more, with a record to be written elsewhere. */
    protected Version(Version version, byte @Nullable [] record) {
        this(version.key, version.flags, version.committedLength, version.shadowLength, record);
    }

    private Version(RecordDecoder.Header header, byte @Nullable [] record, RecordHome home, long position) {
        this.key = header.key();
        this.flags = header.flags();
        this.committedLength = header.committedLength();
        this.shadowLength = header.shadowLength();
        this.recordLength = header.length();
        this.record = record;
        this.home = home;
        this.position = position;
    }

    /** A version that recovery found on disk. */
    public static Version recovered(RecordDecoder.Header header, RecordHome home, long position) {
        return new Version(header, null, home, position);
    }

    /** A version that recovery found on disk, and that is to stay in memory. */
    public static Version recovered(RecordDecoder.Header header, byte[] record, RecordHome home, long position) {
        return new Version(header, record, home, position);
    }

    /** The key. */
    public final StateKey key() {
        return key;
    }

    /** {@link RecordFormat#FLAG_COMMITTED} and the others. */
    public final int flags() {
        return flags;
    }

    /** The status of the key in this version. */
    public final StateStatus status() {
        return RecordFormat.statusOf(flags);
    }

    /** Whether the key holds nothing in this version. */
    public final boolean isTombstone() {
        return flags == 0;
    }

    /** Whether the key holds a committed value in this version and nothing else. */
    public final boolean isPlainCommitted() {
        return flags == RecordFormat.FLAG_COMMITTED;
    }

    /** State bytes in both values. */
    public final long stateBytes() {
        return (long) committedLength + shadowLength;
    }

    /** Bytes of the longer one of both values. */
    public final int longestValueBytes() {
        return Math.max(committedLength, shadowLength);
    }

    /** Bytes of the record, padding included. */
    public final int recordLength() {
        return recordLength;
    }

    /** The encoded record, or null where only the disk has it. */
    public final byte @Nullable [] record() {
        return record;
    }

    /** Lets go of the encoded record; it is on disk. */
    public final void dropRecord() {
        record = null;
    }

    /** The place of the record; null before it has one. */
    public final @Nullable RecordHome home() {
        return home;
    }

    /** Where in its home the record is; each engine counts in its own way. */
    public final long position() {
        return position;
    }

    /** Gives the record its place. By the writer that took it, before it is settled, only. */
    public final void place(@Nullable RecordHome newHome, long newPosition) {
        this.home = newHome;
        this.position = newPosition;
    }

    /** Whether a later version is on disk. Under the layout lock only. */
    public final boolean isSuperseded() {
        return superseded;
    }

    /** Says that a later version is on disk. Under the layout lock only. */
    public final void markSuperseded() {
        superseded = true;
    }

    /** Whether the record is kept in memory although it is on disk. Under the layout lock only. */
    public final boolean isCached() {
        return cached;
    }

    /** Says whether the record is kept in memory although it is on disk. Under the layout lock only. */
    public final void setCached(boolean isCached) {
        cached = isCached;
    }

    /** The version that was queued after this one, in the chain that a writer took; null at its end. */
    public @Nullable Version next() {
        return null;
    }

    /** The version that this one supersedes; null when there is none, or it does not matter any more. */
    public @Nullable Version previous() {
        return null;
    }

    /** Whether it is the copy of a version, on its way to another place. */
    public boolean isCarried() {
        return false;
    }

    /** Whether its writer did not ask for it to be on disk. */
    public boolean isDeferred() {
        return false;
    }

    /** Whether the record is on disk. */
    public boolean isDone() {
        return true;
    }

    /** Whether readers may see this version. */
    public boolean isVisible() {
        return true;
    }

    /** Where to look on if this version is not visible. */
    public @Nullable Version beforeWhatIsHidden() {
        return null;
    }
}
