package io.tallystick.narayana;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The records and transactions that a drain has left.
 *
 * @param status whether the volume may go
 * @param remark the reason why it is unproven that no record is left; empty otherwise
 * @param activeTransactions transactions of this process that have not ended
 * @param pendingActions log records of transactions and participants: prepared, or committed and not heard of by
 *     every resource
 * @param otherRecords records that no transaction waits for, such as states of objects, without the notes that
 *     Narayana keeps for itself
 * @param leftByType pending actions by type
 * @param took how long it waited
 */
public record DrainReport(
        Status status,
        String remark,
        int activeTransactions,
        long pendingActions,
        long otherRecords,
        Map<String, Integer> leftByType,
        Duration took) {
    public DrainReport {
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(remark, "remark");
        leftByType = Map.copyOf(leftByType);
    }

    /** The finding of a drain. */
    public enum Status {
        /** Nothing is left that another process would have to finish: the volume may go. */
        DRAINED("drained"),
        /**
         * No transaction is active and the log is empty. But a resource may hold a prepared branch that only recovery
         * of this node rolls back. Keep the volume, and start a process with this node's identity again.
         */
        UNPROVEN("unproven: keep the volume, and start a process with this node's identity again"),
        /** Something is left: keep the volume, and start a process on it again. */
        LEFT("not drained: keep the volume, and start a process on it again");

        private final String text;

        Status(String text) {
            this.text = text;
        }
    }

    /** Whether nothing is left that another process would have to finish: the volume may go. */
    public boolean isDrained() {
        return status == Status.DRAINED;
    }

    /** One line for a log or a management client. */
    @Override
    public String toString() {
        return status.text + (remark.isEmpty() ? "" : " (" + remark + ")")
                + " activeTransactions=" + activeTransactions + " pendingActions=" + pendingActions
                + (leftByType.isEmpty() ? "" : " " + new TreeMap<>(leftByType)) + " otherRecords=" + otherRecords
                + " took=" + took.toMillis() + "ms";
    }
}
