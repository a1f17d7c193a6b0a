package io.tallystick.narayana;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a drain has left.
 *
 * @param activeTransactions transactions of this process that have not ended
 * @param pendingActions log records of transactions: prepared, or committed and not heard of by every resource
 * @param otherRecords records that no transaction waits for, such as states of objects and how this process can be reached
 * @param leftByType pending actions by type
 * @param took how long it waited
 */
public record DrainReport(
        int activeTransactions,
        long pendingActions,
        long otherRecords,
        Map<String, Integer> leftByType,
        Duration took) {
    public DrainReport {
        leftByType = Map.copyOf(leftByType);
    }

    /** Whether nothing is left that another process would have to finish: the volume may go. */
    public boolean isDrained() {
        return activeTransactions == 0 && pendingActions == 0;
    }

    /** One line for a log or a management client. */
    @Override
    public String toString() {
        return (isDrained() ? "drained" : "not drained: keep the volume, and start a process on it again")
                + " activeTransactions=" + activeTransactions + " pendingActions=" + pendingActions
                + (leftByType.isEmpty() ? "" : " " + new TreeMap<>(leftByType)) + " otherRecords=" + otherRecords
                + " took=" + took.toMillis() + "ms";
    }
}
