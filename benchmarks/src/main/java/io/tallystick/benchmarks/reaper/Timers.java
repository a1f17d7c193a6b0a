package io.tallystick.benchmarks.reaper;

/** Something that transactions are registered with and nearly always taken back from. */
interface Timers extends AutoCloseable {
    /** Registers the caller's transaction, to be cancelled in {@code seconds}; returns a handle. */
    Object register(IdleTransaction transaction, int seconds);

    /** Takes the registration back. */
    void cancel(IdleTransaction transaction, Object handle);

    @Override
    void close();
}
