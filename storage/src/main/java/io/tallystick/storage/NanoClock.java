package io.tallystick.storage;

/** Monotonic time. Wall-clock time is for people to read and decides nothing. */
@FunctionalInterface
public interface NanoClock {
    /** The clock of this JVM. */
    NanoClock SYSTEM = System::nanoTime;

    /** Nanoseconds since an arbitrary instant; never goes back. Compare by subtraction. */
    long nanoTime();
}
