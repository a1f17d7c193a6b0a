package io.tallystick.testkit.disk;

/**
 * The descriptors that are told that the system could not bring unforced bytes of a file to disk; see
 * {@link SimulatedDisk#failNextWriteback}.
 */
public enum WritebackReport {
    /**
     * The first descriptor that forces the file. A force by any other descriptor succeeds, and a second one by the same
     * descriptor too. So did Linux before version 4.13.
     */
    FIRST_FORCE,
    /**
     * Each descriptor that was open at that time, once. A descriptor that is opened later is told only if no other one
     * was told before. So does Linux today.
     */
    EACH_DESCRIPTOR
}
