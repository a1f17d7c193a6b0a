package io.tallystick.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives a store a few seconds to mark a loss before its process ends. The process ends with a status of its own where
 * the loss is not marked, because nothing else keeps the next one from opening what is left.
 */
final class AwaitedMark {
    /** {@code EX_OSFILE} of sysexits.h: a loss could not be marked. */
    static final int UNMARKED_STATUS = 72;

    private static final int MOST_LOOKS = 500;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private AwaitedMark() {}

    /** What became of the mark within five seconds. */
    static LossMarking of(ObjectStore store) {
        LossMarking marking = store.lossMarking();
        // Counted and not timed: there may be no memory, and a wait that ends early is only followed by another one.
        for (int i = 0; i < MOST_LOOKS && marking == LossMarking.PENDING; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            marking = store.lossMarking();
        }
        return marking;
    }

    /** The status of the process. */
    static int statusOf(LossMarking marking, int usual) {
        return marking == LossMarking.IMPOSSIBLE || marking == LossMarking.PENDING ? UNMARKED_STATUS : usual;
    }

    /** A clause for the line that tells of the end. */
    static String clause(LossMarking marking) {
        return switch (marking) {
            case NO_LOSS -> "";
            case MARKED ->
                ". The loss is marked: the next opening is refused until a person runs 'tallystick accept-loss'";
            case NOT_NEEDED -> ". Another process has the log, and no acknowledged data is known to be missing";
            case IMPOSSIBLE, PENDING ->
                ". The loss could not be marked, so the status is " + UNMARKED_STATUS
                        + ": keep the next process from starting until you know what is missing";
        };
    }
}
