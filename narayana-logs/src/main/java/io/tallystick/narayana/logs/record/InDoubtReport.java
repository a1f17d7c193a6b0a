package io.tallystick.narayana.logs.record;

import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

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

        /** The values by their names, in their order. */
        public Map<String, Object> details() {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("uid", uid);
            details.put("ageSeconds", age.toSeconds());
            details.put("threads", threads);
            return details;
        }
    }

    /**
     * A look by the names of its values, in their order, for endpoints: texts, numbers, a truth value, lists and maps
     * of such. A value that is not known is left out.
     *
     * @param look empty if the log cannot be listed; then {@code listed} is false
     * @param limit how many transactions at most, the oldest; the counts are of all
     */
    public static Map<String, Object> details(Optional<InDoubtReport> look, int limit) {
        InDoubtReport report = look.orElse(EMPTY);
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("listed", look.isPresent());
        details.put("countByState", report.countByLabel());
        details.put("unseen", report.unseen());
        report.oldestAge().ifPresent(age -> details.put("oldestSeconds", age.toSeconds()));
        report.oldestOpen().ifPresent(open -> details.put("oldestOpen", open.details()));
        details.put("transactions", report.listed(limit));
        return details;
    }

    /** The oldest ones, each by the names of its values; none if the limit is not positive. */
    public List<Map<String, Object>> listed(int limit) {
        return transactions.stream()
                .limit(Math.max(0, limit))
                .map(InDoubtTransaction::details)
                .toList();
    }

    /**
     * One of them.
     *
     * @param uid as Narayana prints it
     */
    public Optional<InDoubtTransaction> find(String uid) {
        return transactions.stream()
                .filter(each -> each.logged().uid().equals(uid))
                .findFirst();
    }

    /** How many there are of each state; a state that none has is left out. */
    public Map<RecordState, Integer> countByState() {
        Map<RecordState, Integer> counts = new EnumMap<>(RecordState.class);
        transactions.forEach(each -> counts.merge(each.logged().state(), 1, Integer::sum));
        return counts;
    }

    /** The same by the words for people, sorted. */
    public Map<String, Integer> countByLabel() {
        Map<String, Integer> counts = new TreeMap<>();
        countByState().forEach((state, count) -> counts.put(state.label(), count));
        return counts;
    }

    /** The age of the oldest one; empty if there is none. */
    public Optional<Duration> oldestAge() {
        return transactions.stream().findFirst().map(InDoubtTransaction::age);
    }
}
