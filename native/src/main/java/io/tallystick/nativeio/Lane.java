package io.tallystick.nativeio;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A queue of the kernel for one write at a time. Not safe for use by several threads at once; an interrupt of the
 * calling thread has no effect on it.
 */
interface Lane {
    /**
     * Writes the remaining bytes of a direct buffer, and does not change its position. Returns how many of them are on
     * disk; these may be fewer.
     */
    int write(Descriptor file, ByteBuffer source, long position) throws IOException;

    /**
     * False once the outcome of a write could not be learnt: the kernel may still be reading the buffer. Such a lane is
     * never used or closed again, and is kept reachable so that the buffer stays where it is.
     */
    boolean isIdle();

    /** Gives its resources back to the kernel; only when idle. */
    void close() throws IOException;
}
