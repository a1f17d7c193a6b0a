package io.tallystick.reaper;

/** Why the reaper cancels a transaction. */
public enum ExpiryReason {
    /** Its time was over. */
    TIMEOUT,
    /** The reaper was closed with {@link CloseMode#EXPIRE_OPEN} before its time was over. */
    CLOSE
}
