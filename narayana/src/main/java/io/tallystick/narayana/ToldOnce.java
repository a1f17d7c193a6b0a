package io.tallystick.narayana;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The messages that the operator has been told already. Narayana makes a new adaptor for each of its roles and for
 * each attempt, so one mistake in the configuration is met again and again, by objects that do not know each other;
 * the log tells it once.
 *
 * <p>May be used by any number of threads.
 */
final class ToldOnce {
    // A text that changes with every attempt must not fill the memory; then it is told again instead.
    private static final int MAX_TEXTS = 64;

    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock.
    private final Set<String> told = new HashSet<>();

    /** Whether the text is to be told now; not again, until {@link #forget}. */
    boolean isNew(String text) {
        lock.lock();
        try {
            if (told.size() == MAX_TEXTS) {
                told.clear();
            }
            return told.add(text);
        } finally {
            lock.unlock();
        }
    }

    /** The cause of the message is gone: the same text is news again. */
    void forget() {
        lock.lock();
        try {
            told.clear();
        } finally {
            lock.unlock();
        }
    }
}
