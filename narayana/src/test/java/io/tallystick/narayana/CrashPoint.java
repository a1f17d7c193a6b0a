package io.tallystick.narayana;

/** An instant of a transaction with two resources, named by what is said then for the n-th time. */
enum CrashPoint {
    /** The first resource is prepared, the second is not. */
    DURING_PREPARE("before prepare", 2, false),
    /** Both are prepared, the log knows nothing. */
    BEFORE_LOG("after prepare", 2, false),
    /** The log record is written, no resource was told. */
    AFTER_LOG("before commit", 1, true),
    /** The first resource is committed. */
    BETWEEN_COMMITS("before commit", 2, true),
    /** Both are committed, the log record is there. */
    BEFORE_REMOVE("after commit", 2, true),
    /** The transaction is over; its removal from the log may not be on disk. */
    AFTER_TRANSACTION("after transaction", 1, true);

    private final String event;
    private final int times;
    private final boolean commits;

    CrashPoint(String event, int times, boolean commits) {
        this.event = event;
        this.times = times;
        this.commits = commits;
    }

    String event() {
        return event;
    }

    int times() {
        return times;
    }

    /** Whether recovery must commit. */
    boolean commits() {
        return commits;
    }
}
