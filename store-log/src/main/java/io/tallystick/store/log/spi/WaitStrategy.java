package io.tallystick.store.log.spi;

/** How platform threads wait for a durable write of a log on this machine. */
public enum WaitStrategy {
    /** They come back when the write should end: see the essay of the group commit's waits. The one of every store. */
    EXPECTED_END,
    /** They sleep until they are woken, as {@link #EXPECTED_END} does beside threads that compute without end. */
    SLEEP
}
