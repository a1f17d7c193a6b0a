package io.tallystick.durability.settle;

import io.tallystick.durability.settle.ResourceManagers.Place;
import io.tallystick.durability.settle.ResourceManagers.Seen;
import io.tallystick.durability.settle.ResourceManagers.State;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What each branch may become. It knows what was decided before any command ran, and looks at the states of the
 * branches alone: how a command has come to its answer does not matter to it.
 */
final class SettleModel {
    static final Comparator<Place> ORDER = Comparator.comparing(Place::label).thenComparing(Place::resource);

    /** What was decided of a transaction. */
    enum Truth {
        /** The decision to commit was on disk, or a resource was told it. */
        COMMIT,
        /** It was decided to roll back, or nothing was decided before the node died. */
        ROLLBACK,
        /**
         * This node has begun it and has no record, and another one has imported it. Recovery of this node rolls it
         * back, and no person may.
         */
        ROLLBACK_BY_RECOVERY,
        /** Another node or manager decides. */
        NOBODY_HERE
    }

    /**
     * A transaction.
     *
     * @param uid in hexadecimal digits; what begins the global part of the Xid of another manager
     * @param truth what was decided
     */
    record Transaction(String uid, Truth truth) {}

    private final Map<String, Transaction> transactions = new TreeMap<>();
    private Map<Place, Seen> branches = Map.of();

    /** Adds a transaction, by its label. */
    void add(String label, Transaction transaction) {
        transactions.put(label, transaction);
    }

    /** These branches are there before the first command. */
    void begin(Map<Place, Seen> found) {
        branches = new TreeMap<>(ORDER);
        branches.putAll(found);
    }

    Transaction of(Place place) {
        return transactions.get(place.label());
    }

    Map<String, Transaction> transactions() {
        return transactions;
    }

    Seen at(Place place) {
        return branches.get(place);
    }

    /** All places. */
    List<Place> places() {
        return List.copyOf(branches.keySet());
    }

    /** The places of prepared branches. */
    List<Place> prepared() {
        return branches.entrySet().stream()
                .filter(each -> each.getValue().state() == State.PREPARED)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The places of prepared branches of a transaction that this node decides. */
    List<Place> inDoubt() {
        return prepared().stream()
                .filter(place -> of(place).truth() == Truth.COMMIT || of(place).truth() == Truth.ROLLBACK)
                .toList();
    }

    /**
     * Checks what has become of the branches, and takes it for the state of now.
     *
     * @param found the branches of now
     * @param records the records of now
     * @throws AssertionError a resource was told what contradicts the decision, or a decision is not on disk any more
     */
    void check(Map<Place, Seen> found, RecordsOnDisk records) {
        branches.forEach((place, before) -> {
            Seen now = found.get(place);
            if (now == null) {
                throw new AssertionError("the branch " + place + " has vanished");
            }
            if (before.state() != now.state()) {
                checkChange(place, before, now);
            }
        });
        // What ended branches have been called stays known, also where their resource has forgotten it.
        found.forEach((place, now) -> branches.merge(
                place, now, (old, fresh) -> new Seen(fresh.state(), fresh.xid().or(old::xid))));
        for (Place place : prepared()) {
            Transaction transaction = of(place);
            boolean isOnDisk = records.isInLog(transaction.uid()) || records.isKept(transaction.uid());
            if (transaction.truth() == Truth.COMMIT && !isOnDisk) {
                throw new AssertionError("the decision to commit is neither in the log nor kept aside, and a branch"
                        + " is prepared: " + described(place));
            }
        }
    }

    private void checkChange(Place place, Seen before, Seen now) {
        if (before.state() != State.PREPARED) {
            throw new AssertionError(
                    "a branch has ended twice: " + described(place) + " was " + before.state() + ", is " + now.state());
        }
        Set<Truth> allowed = now.state() == State.COMMITTED
                ? Set.of(Truth.COMMIT)
                : Set.of(Truth.ROLLBACK, Truth.ROLLBACK_BY_RECOVERY);
        if (!allowed.contains(of(place).truth())) {
            throw new AssertionError(
                    "a resource was told what contradicts the decision: " + described(place) + " is " + now.state());
        }
    }

    /** A branch, for people. */
    String described(Place place) {
        Transaction transaction = of(place);
        return place + " truth=" + transaction.truth() + " uid=" + transaction.uid() + " xid="
                + at(place).xid().map(String::valueOf).orElse("unknown");
    }
}
