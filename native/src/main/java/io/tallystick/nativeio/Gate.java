package io.tallystick.nativeio;

import java.time.Duration;

/** Lets callers through until it is shut, and then knows when the last one has left. Any thread may call it. */
final class Gate {
    private boolean shut;
    private int inside;

    /** True if the caller is inside now and owes a {@link #leave}; false if the gate is shut. */
    synchronized boolean enter() {
        if (shut) {
            return false;
        }
        inside++;
        return true;
    }

    synchronized void leave() {
        inside--;
        if (inside == 0) {
            notifyAll();
        }
    }

    /** Refuses every caller from now on; false if it was shut already. */
    synchronized boolean shut() {
        boolean first = !shut;
        shut = true;
        return first;
    }

    /** Waits, through interrupts, until no caller is inside; false if one still is after this time. */
    synchronized boolean awaitEmpty(Duration atMost) {
        long deadlineNanos = System.nanoTime() + atMost.toNanos();
        boolean interrupted = false;
        while (inside > 0) {
            long leftMillis = (deadlineNanos - System.nanoTime()) / 1_000_000;
            if (leftMillis <= 0) {
                break;
            }
            try {
                wait(leftMillis);
            } catch (InterruptedException remembered) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return inside == 0;
    }
}
