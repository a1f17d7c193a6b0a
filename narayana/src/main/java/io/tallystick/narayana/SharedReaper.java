package io.tallystick.narayana;

import io.tallystick.reaper.ReaperOptions;
import io.tallystick.reaper.TransactionReaper;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The reaper of the transaction managers that Narayana makes by reflection, opened when the first of them asks for it. One
 * for the process, like Narayana's own, because the transaction manager and the user transaction are made apart and have
 * nothing in common.
 *
 * <p>Nobody closes it: it has no thread while no transaction is open, its threads are daemons, and it holds nothing but
 * open transactions.
 */
final class SharedReaper {
    private static final SharedReaper OF_THIS_PROCESS = new SharedReaper(ReaperOptions::fromEnvironment);

    private final Supplier<ReaperOptions> options;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock.
    private TransactionReaper reaper;

    SharedReaper(Supplier<ReaperOptions> options) {
        this.options = options;
    }

    /**
     * The one of this process.
     *
     * @throws IllegalArgumentException a key under {@code tallystick.reaper.} is unknown or has a bad value
     */
    static TransactionReaper ofThisProcess() {
        return OF_THIS_PROCESS.get();
    }

    TransactionReaper get() {
        lock.lock();
        try {
            if (reaper == null) {
                reaper = TransactionReaper.open(options.get());
            }
            return reaper;
        } finally {
            lock.unlock();
        }
    }
}
