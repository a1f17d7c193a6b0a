package io.tallystick.benchmarks.measure;

/**
 * The time until a new process has taken a log in a database over from one that was halted, and has read every record.
 * A store with a lease waits for its end.
 */
public class TakeoverBenchmark extends RecoveryBenchmark {
    /** Records in the store when the process is halted. */
    public static final int LEFT_BEHIND = 1_000;

    @Override
    int left() {
        return LEFT_BEHIND;
    }
}
