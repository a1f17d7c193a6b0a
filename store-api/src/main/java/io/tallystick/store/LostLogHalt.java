package io.tallystick.store;

import io.tallystick.store.spi.FailureLog;
import io.tallystick.store.spi.ForwardingStore;
import io.tallystick.store.spi.StoreThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends the process when its log is lost: another owner has it, or its place is gone. A thread asks once a second,
 * because an idle process has nobody who would hear of the loss.
 */
final class LostLogHalt extends ForwardingStore {
    /** {@code EX_OSERR} of sysexits.h; {@link LossMarking#UNMARKED_STATUS} where the loss could not be marked. */
    static final int EXIT_STATUS = 71;

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    // Nobody writes it: only a store whose log is lost does not answer that it is absent.
    private static final StateKey ABSENT = StateKey.of("/Tallystick/Nothing", ObjectId.of(new byte[] {1}));

    private final Thread thread;

    private volatile boolean isClosed;

    private LostLogHalt(ObjectStore store) {
        super(store);
        this.thread = StoreThread.of(this::run, "tallystick-lost-log");
    }

    /**
     * The same store, watched from now on.
     *
     * @throws OutOfMemoryError the thread cannot start; the store is closed
     */
    static ObjectStore watching(ObjectStore store) {
        LostLogHalt watched = new LostLogHalt(store);
        boolean isStarted = false;
        try {
            watched.thread.start();
            isStarted = true;
            return watched;
        } finally {
            if (!isStarted) { // nobody else could close it
                store.close();
            }
        }
    }

    private void run() {
        while (!isClosed) {
            try {
                store.statusOf(ABSENT);
            } catch (StoreClosedException closed) {
                return;
            } catch (StoreException lost) {
                if (!isClosed) {
                    halt(lost);
                }
            } catch (OutOfMemoryError unknown) { // the next time may tell
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
            Thread.interrupted(); // a set flag would end the next wait at once
        }
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
        super.close();
    }

    private void halt(StoreException lost) {
        int status = LossMarking.UNMARKED_STATUS;
        try {
            LossMarking marking = LossMarking.awaitedOf(store);
            status = marking.statusOr(EXIT_STATUS);
            FailureLog.tell(
                    LostLogHalt.class,
                    "TALLY0020 the log is lost; ending the process, as " + StoreOption.ON_LOST_LOG.key()
                            + "=halt asks, so that it judges no transaction of another owner"
                            + marking.clause(),
                    lost);
        } finally {
            Runtime.getRuntime().halt(status); // even if the logger throws
        }
    }
}
