package io.tallystick.reaper;

/** What closing the reaper does to transactions that are still open. In either mode no new one is accepted. */
public enum CloseMode {
    /** They are cancelled now, with {@link ExpiryReason#CLOSE}. */
    EXPIRE_OPEN,
    /** They may end by themselves or time out as they would have; what is open at the bound is left alone. */
    WAIT_FOR_OPEN
}
