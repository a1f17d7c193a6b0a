package io.tallystick.narayana;

/**
 * What a management client sees of this process' transactions before it is scaled down, under
 * {@code io.tallystick:type=TransactionDrain,name="<directory>"} where {@code tallystick.jmx=true}.
 */
public interface TransactionDrainMXBean {
    /** Whether new transactions may commit. */
    boolean isAccepting();

    /** Transactions of this process that have not ended. */
    int getActiveTransactions();

    /** Log records of transactions. */
    long getPendingActions();

    /**
     * As {@link TallystickDrain#drain}; answers {@link DrainReport} as text, which begins with {@code drained} if nothing is
     * left.
     *
     * @param seconds how long to wait at most
     */
    String drain(int seconds);

    /** Lets new transactions commit again. */
    void resume();
}
