package io.tallystick.testkit;

/** What can be wrong with a {@link ToyStore}; each must be caught by the tools that are tested with it. */
public enum ToyBug {
    /** A forced operation does not force. */
    SKIP_FORCE,
    /** The force comes before the write. */
    FORCE_BEFORE_WRITE,
    /** A forced operation that changes nothing does not force what was deferred before it. */
    NOTHING_TO_FORCE,
    /** Closing does not force. */
    CLOSE_WITHOUT_FORCE,
    /** The new log is not forced before it takes the name. */
    RENAME_BEFORE_FORCE,
    /** The name of the new log is not forced. */
    NO_DIRECTORY_FORCE,
    /** Records are believed without a checksum. */
    NO_CHECKSUM,
    /** The checksum is of the values only. */
    CHECKSUM_WITHOUT_KEY,
    /** After a torn tail the log goes on behind it. */
    APPEND_BEHIND_TORN_TAIL,
    /** What was read on opening is not forced before it is shown. */
    SHOW_UNFORCED_ON_OPEN,
    /** A forced write is shown before it is on disk. */
    DIRTY_READ,
    /** A failed force is tried again. */
    RETRY_FORCE,
    /** A failed force is not told. */
    SWALLOW_FAILED_FORCE,
    /** A failed write is told as not written. */
    UNKNOWN_TOLD_AS_NOT_WRITTEN,
    /** After an unknown outcome the store goes on. */
    NO_FAIL_STOP,
    /** A short write is not continued. */
    IGNORE_SHORT_WRITE,
    /** A failed close is not told. */
    SWALLOW_FAILED_CLOSE,
    /** A log that cannot be read is taken for an empty one. */
    UNREADABLE_IS_EMPTY
}
