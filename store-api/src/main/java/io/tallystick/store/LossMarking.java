package io.tallystick.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What became of the mark that keeps the next process from opening a log that lacks what was acknowledged. */
public enum LossMarking {
    /** No loss is known. */
    NO_LOSS(""),
    /** A loss is known, and a thread of the store is about to mark it. That may take long, on a disk that hangs. */
    PENDING(LossMarking.UNMARKED),
    /** It is marked: the next opening is refused until a person accepts the loss. */
    MARKED(". The loss is marked: the next opening is refused until a person runs 'tallystick accept-loss'"),
    /** No acknowledged data is known to be missing: another owner has the log. */
    NOT_NEEDED(". No acknowledged data is known to be missing, so no loss is marked"),
    /** It could not be marked: the next process opens what is there. */
    IMPOSSIBLE(LossMarking.UNMARKED);

    /** {@code EX_OSFILE} of sysexits.h: the status of a process that ends after a loss that it could not mark. */
    static final int UNMARKED_STATUS = 72;

    private static final String UNMARKED = ". The loss could not be marked, so the status is 72: keep the next process"
            + " from starting until you know what is missing";
    private static final int MOST_LOOKS = 500;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final String clause;

    LossMarking(String clause) {
        this.clause = clause;
    }

    /** What became of the mark within five seconds: a process that ends gives the store so long. */
    static LossMarking awaitedOf(ObjectStore store) {
        LossMarking marking = store.lossMarking();
        // Counted and not timed: there may be no memory, and a wait that ends early is only followed by another one.
        for (int i = 0; i < MOST_LOOKS && marking == PENDING; i++) {
            Thread.interrupted(); // a set flag would end every wait at once; this process ends anyway
            LockSupport.parkNanos(PAUSE_NANOS);
            marking = store.lossMarking();
        }
        return marking;
    }

    /**
     * The status of a process that ends now.
     *
     * @param usual the status where the next process is told of the loss, or needs not be told
     */
    int statusOr(int usual) {
        return this == IMPOSSIBLE || this == PENDING ? UNMARKED_STATUS : usual;
    }

    /** The end of the line that tells why the process ends. */
    String clause() {
        return clause;
    }
}
