package io.tallystick.reaper;

/**
 * The treatment of transactions that are still open when the reaper is closed. In either mode no new one is accepted.
 */
public enum CloseMode {
    /** They are cancelled now, with {@link ExpiryReason#CLOSE}. */
    EXPIRE_OPEN,
    /**
     * They may end by themselves, or time out at their deadlines. Those that are open at the end of the wait are left
     * alone.
     */
    WAIT_FOR_OPEN
}
