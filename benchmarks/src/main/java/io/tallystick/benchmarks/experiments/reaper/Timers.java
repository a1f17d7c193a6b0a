package io.tallystick.benchmarks.experiments.reaper;

/** A timer with which transactions are registered; nearly all registrations are cancelled. */
interface Timers extends AutoCloseable {
    /** Registers the caller's transaction, to be cancelled in {@code seconds}; returns a handle. */
    Object register(IdleTransaction transaction, int seconds);

    /** Cancels the registration. */
    void cancel(IdleTransaction transaction, Object handle);

    @Override
    void close();
}
