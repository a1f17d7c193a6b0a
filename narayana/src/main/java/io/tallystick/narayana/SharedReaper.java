package io.tallystick.narayana;

import io.tallystick.reaper.ReaperOptions;
import io.tallystick.reaper.TransactionReaper;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The reaper of the transaction managers that Narayana makes by reflection; the first of them opens it. There is one
 * for the process, like Narayana's own. Narayana makes the transaction manager and the user transaction separately, and
 * they share no object.
 *
 * <p>It is never closed: it has no thread while no transaction is open, its threads are daemons, and it holds only
 * open transactions.
 */
final class SharedReaper {
    private static final SharedReaper OF_THIS_PROCESS = new SharedReaper(ReaperSettings::fromEnvironment);

    private final Supplier<ReaperOptions> options;
    private final Refusals refusals = new Refusals(
            System.getLogger(TransactionReaper.class.getName()),
            "TALLY0613 the reaper of this process was not opened, so Narayana has no transaction manager and may not"
                    + " say why; mend this and start the process again: ");
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock.
    private TransactionReaper reaper;

    SharedReaper(Supplier<ReaperOptions> options) {
        this.options = options;
    }

    /**
     * The reaper of this process.
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
                reaper = refusals.tellingOf(() -> TransactionReaper.open(options.get()));
            }
            return reaper;
        } finally {
            lock.unlock();
        }
    }
}
