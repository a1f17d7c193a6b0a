package io.tallystick.spring.boot;

import com.arjuna.ats.arjuna.coordinator.TxControl;

/**
 * Takes the drain of a context back after its store is closed. Narayana refuses transactions in the whole process, and
 * another context may begin there.
 */
final class DrainedProcess implements AutoCloseable {
    private volatile boolean isDrained;

    void isDrained() {
        isDrained = true;
    }

    @Override
    public void close() {
        if (!isDrained) {
            return;
        }
        try {
            TxControl.enable();
        } catch (IllegalStateException ending) {
            // Narayana registers a shutdown hook, and the process ends: no other context begins there.
            isDrained = false;
        }
    }
}
