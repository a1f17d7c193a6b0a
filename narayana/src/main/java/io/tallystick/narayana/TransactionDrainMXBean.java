package io.tallystick.narayana;

/**
 * The view that a management client has of this process' transactions before it is scaled down. Where {@code
 * tallystick.jmx=true}, its name is {@code io.tallystick:type=TransactionDrain,name="<directory>"}.
 */
public interface TransactionDrainMXBean {
    /** Whether new transactions may commit. */
    boolean isAccepting();

    /** Transactions of this process that have not ended. */
    int getActiveTransactions();

    /**
     * The age of the transaction that has been open for the longest time, also of one without a time limit, seconds;
     * -1 if none is open. It counts from the first look at this attribute or the next one that saw the transaction, so
     * look regularly.
     */
    long getOldestTransactionSeconds();

    /** That transaction as text: age, Uid, and the threads that it is associated with; empty if none is open. */
    String getOldestTransaction();

    /** Log records of transactions and of their participants. */
    long getPendingActions();

    /**
     * The least time that {@link #drain} needs to prove that nothing is left, seconds; transactions take theirs
     * before.
     */
    long getLeastSeconds();

    /**
     * As {@link TallystickDrain#drain}; answers {@link DrainReport} as text. The text begins with {@code drained} if
     * no record is left, and with {@code not drained} if one is. It begins with {@code unproven} if no record is left,
     * but a resource may hold a prepared branch.
     *
     * @param seconds how long to wait at most
     */
    String drain(int seconds);

    /** Lets new transactions commit again. */
    void resume();
}
