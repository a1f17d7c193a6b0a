package io.tallystick.narayana;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The messages that are logged already. Narayana makes a new adaptor for each of its roles and for each attempt. So
 * many objects that share nothing find the same mistake in the configuration; the log has it once.
 *
 * <p>May be used by any number of threads.
 */
final class ToldOnce {
    // Texts that change with every attempt must not fill the memory; beyond this number texts may be logged again.
    private static final int MAX_TEXTS = 64;

    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock.
    private final Set<String> told = new HashSet<>();

    /** Whether the text is new since the last {@link #forget}. */
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

    /** The cause of the messages is gone: the same text counts as new again. */
    void forget() {
        lock.lock();
        try {
            told.clear();
        } finally {
            lock.unlock();
        }
    }
}
