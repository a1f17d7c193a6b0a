package io.tallystick.storage;

import java.io.IOException;

/** A lock that is held until it is closed or the process ends. */
public interface DiskLock extends AutoCloseable {
    /** Gives the lock up; a second call does nothing. */
    @Override
    void close() throws IOException;
}
