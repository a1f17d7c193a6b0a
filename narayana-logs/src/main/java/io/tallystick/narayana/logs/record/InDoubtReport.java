package io.tallystick.narayana.logs.record;

import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One look at the transactions whose records stay in a log.
 *
 * @param transactions those that were looked at, the oldest first
 * @param unseen records that may be in doubt too and were not looked at, because there are so many
 * @param oldestOpen the transaction of this process that has been open for the longest time, also one without a time
 *     limit; empty if none is open or that is not known
 */
public record InDoubtReport(List<InDoubtTransaction> transactions, long unseen, Optional<OpenTransaction> oldestOpen) {
    /** There is nothing to report, or the log cannot be listed. */
    public static final InDoubtReport EMPTY = new InDoubtReport(List.of(), 0, Optional.empty());

    public InDoubtReport {
        transactions = transactions.stream()
                .sorted(Comparator.comparing(InDoubtTransaction::age).reversed())
                .toList();
        Objects.requireNonNull(oldestOpen);
    }

    /**
     * A transaction that has not ended.
     *
     * @param uid as Narayana prints it
     * @param age since a look saw it first
     * @param threads the names of the threads that it is associated with
     */
    public record OpenTransaction(String uid, Duration age, List<String> threads) {
        public OpenTransaction {
            threads = List.copyOf(threads);
        }
    }

    /** How many there are of each state; a state that none has is left out. */
    public Map<RecordState, Integer> countByState() {
        Map<RecordState, Integer> counts = new EnumMap<>(RecordState.class);
        transactions.forEach(each -> counts.merge(each.logged().state(), 1, Integer::sum));
        return counts;
    }

    /** The age of the oldest one; empty if there is none. */
    public Optional<Duration> oldestAge() {
        return transactions.stream().findFirst().map(InDoubtTransaction::age);
    }
}
