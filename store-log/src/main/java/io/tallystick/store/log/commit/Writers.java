package io.tallystick.store.log.commit;

import io.tallystick.store.spi.StoreThread;

/**
 * The writer threads of a group commit: one for each write that may be in flight. The first also looks after deferred
 * appends.
 */
final class Writers {
    private final WriterThread[] threads;

    Writers(GroupCommit commits, String logName, int count) {
        threads = new WriterThread[count];
        for (int i = 0; i < count; i++) {
            int index = i;
            threads[i] = StoreThread.made(making -> new WriterThread(making, commits, logName, index));
        }
    }

    /** Starts the threads, all or none. */
    void start() {
        try {
            for (WriterThread thread : threads) {
                thread.start();
            }
        } catch (RuntimeException | Error noThread) {
            end();
            throw noThread;
        }
    }

    /** Wakes the first thread if it rests. */
    void rouseFirst() {
        threads[0].rouse();
    }

    /** Wakes the first thread if it rests until it is woken. It comes back from a shorter rest by itself. */
    void rouseFirstFromSleep() {
        threads[0].rouseFromSleep();
    }

    /** Wakes one thread if any rests. */
    void rouseOne() {
        for (WriterThread thread : threads) {
            if (thread.rouse()) {
                return;
            }
        }
    }

    /** Wakes every thread that rests. */
    void rouseAll() {
        for (WriterThread thread : threads) {
            thread.rouse();
        }
    }

    /** Ends the threads, and returns when they have ended. Keeps the interrupt flag. */
    void end() {
        for (WriterThread thread : threads) {
            thread.end();
        }
    }
}
