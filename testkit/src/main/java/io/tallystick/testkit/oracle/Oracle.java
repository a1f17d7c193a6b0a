package io.tallystick.testkit.oracle;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Remembers outside the store what was asked of it and what it answered, and judges what is found after a crash by the
 * invariants I1 to I7 of docs/durability.md.
 *
 * <p>{@link #watch} wraps a store; what is done through the wrapper is recorded, and wrong answers, wrong reads and
 * life after a failure show at once. Each key must be changed by one thread at a time; reads and scans may come from
 * any thread. After a crash or a close, {@link #checkRecovered} looks at all that the store holds and goes on from
 * there, so that one oracle follows a store through many lives. A violation is an {@link AssertionError} with the
 * invariant's name and the key's history.
 *
 * <p><b>How it judges.</b> For each key there is the list of images that it went through. The <em>floor</em> is the
 * first of them that may still be found after a crash: what the last operation made that is promised to be on disk,
 * because it was {@link Durability#FORCED} and returned, because {@code force} or {@code close} was invoked after it
 * returned, or because a reader saw it. Any image from the floor on may be found, and no other.
 */
public final class Oracle {
    private static final long NEVER = Long.MAX_VALUE;

    private final Map<StateKey, KeyHistory> histories = new LinkedHashMap<>();
    private final List<Deferred> deferred = new ArrayList<>();

    private long ticks;
    private long failedAtTick = NEVER;

    /** Nothing was asked yet. */
    public Oracle() {}

    private Oracle(Oracle other) {
        other.histories.forEach((key, history) -> histories.put(key, new KeyHistory(history)));
        other.deferred.forEach(
                entry -> deferred.add(new Deferred(histories.get(entry.history.key()), entry.version, entry.tick)));
        ticks = other.ticks;
        failedAtTick = other.failedAtTick;
    }

    /** An operation that returned at this tick and need not be on disk yet. */
    private record Deferred(KeyHistory history, int version, long tick) {}

    /** The store, with everything that is done through the result recorded. */
    public ObjectStore watch(ObjectStore store) {
        return new WatchedStore(this, store);
    }

    /** An oracle that knows the same and goes its own way, to judge several crashes of one life. */
    public synchronized Oracle copy() {
        return new Oracle(this);
    }

    /**
     * Judges a store that was opened again, and takes what is found for the state from which it goes on. Changes
     * nothing in the store; of hidden keys only the status is seen, {@link #revealAll} sees the rest.
     *
     * @throws AssertionError an invariant is violated
     */
    public synchronized void checkRecovered(ObjectStore store) {
        Map<String, Set<StateKey>> found = new HashMap<>();
        for (KeyHistory history : histories.values()) {
            if (isRecovered(store, history)) {
                found.computeIfAbsent(history.key().type(), type -> new HashSet<>())
                        .add(history.key());
            }
        }
        checkListed("types", store.types(), found.keySet());
        found.forEach((type, keys) -> checkListed("keys of type=" + type, store.keys(type), keys));
        deferred.clear();
        failedAtTick = NEVER;
    }

    /** Whether the key exists. */
    private static boolean isRecovered(ObjectStore store, KeyHistory history) {
        StateStatus status = store.statusOf(history.key());
        byte[] committed = store.read(history.key()).orElse(null);
        byte[] shadow = store.readShadow(history.key()).orElse(null);
        if (status.isHidden() && committed == null && shadow == null) {
            history.recoveredHidden(status);
            return true;
        }
        ModelImage found = new ModelImage(committed, shadow, status.isHidden());
        if (found.status() != status || status.isHidden()) {
            throw history.violation("table of moves", "status=" + status + ", but readers see " + found);
        }
        history.recovered(found);
        return status != StateStatus.ABSENT;
    }

    /**
     * Reveals all hidden keys and judges the values that come to light.
     *
     * @param watched the store as {@link #watch} gave it
     * @throws AssertionError an invariant is violated
     */
    public void revealAll(ObjectStore watched) {
        List<StateKey> keys;
        synchronized (this) {
            keys = new ArrayList<>(histories.keySet());
        }
        for (StateKey key : keys) {
            if (watched.statusOf(key).isHidden()) {
                watched.reveal(key);
                watched.read(key);
                watched.readShadow(key);
            }
        }
    }

    private static <T> void checkListed(String what, Iterable<T> listed, Set<T> expected) {
        List<T> list = new ArrayList<>();
        listed.forEach(list::add);
        if (list.size() != expected.size() || !expected.containsAll(list)) {
            throw new AssertionError("I3 no invention violated: " + what + " after recovery=" + list
                    + ", but exactly these exist: " + expected);
        }
    }

    synchronized KeyHistory.Pending invoked(ModelMove move, StateKey key, byte[] state, Durability durability) {
        return history(key).begin(move, state, durability, ++ticks);
    }

    synchronized void returned(KeyHistory.Pending operation, boolean answer) {
        KeyHistory history = operation.history();
        int version = history.returned(operation, answer);
        if (failedAtTick < operation.tick()) {
            throw history.violation("I5 fail-stop", operation + " returned after an operation of unknown outcome");
        }
        if (operation.durability() == Durability.FORCED) {
            history.promise(version);
        } else {
            deferred.add(new Deferred(history, version, ++ticks));
        }
    }

    /** The operation threw, and says that it had no effect. */
    synchronized void refused(KeyHistory.Pending operation, Throwable reason) {
        operation.history().refused(operation, reason);
    }

    /** The operation threw, and says that nothing is known. */
    synchronized void unknown(KeyHistory.Pending operation, Throwable reason) {
        operation.history().unknown(operation, reason);
        failed();
    }

    /** Some operation's outcome is unknown: nothing invoked from now on may return. */
    synchronized void failed() {
        failedAtTick = Math.min(failedAtTick, ++ticks);
    }

    /**
     * The tick of something that forces what returned before it, to be handed to {@link #forced} or {@link #closed}.
     */
    synchronized long tick() {
        return ++ticks;
    }

    /** A {@code force} invoked at this tick returned. */
    synchronized void forced(long tick) {
        if (failedAtTick < tick) {
            throw new AssertionError("I5 fail-stop violated: force returned after an operation of unknown outcome");
        }
        promiseBefore(tick, "force");
    }

    /** A {@code close} invoked at this tick returned. */
    synchronized void closed(long tick) {
        if (failedAtTick == NEVER) {
            promiseBefore(tick, "close");
        }
    }

    private void promiseBefore(long tick, String operation) {
        for (Iterator<Deferred> entries = deferred.iterator(); entries.hasNext(); ) {
            Deferred entry = entries.next();
            if (entry.tick < tick) {
                entry.history.promise(entry.version, operation);
                entries.remove();
            }
        }
    }

    /** Where the key's history stands, to be handed to {@link #seen} after a read. */
    synchronized int versionOf(StateKey key) {
        return history(key).lastCertain();
    }

    /** Judges what a reader saw of the key between then and now, in a store that has failed or not. */
    synchronized void seen(StateKey key, int since, boolean failed, Predicate<ModelImage> fits, String what) {
        history(key).seen(since, failed || failedAtTick != NEVER, fits, what);
    }

    /** The keys that were ever asked about, of this type. */
    synchronized List<StateKey> knownKeys(String type) {
        return histories.keySet().stream()
                .filter(key -> key.type().equals(type))
                .toList();
    }

    private KeyHistory history(StateKey key) {
        return histories.computeIfAbsent(key, KeyHistory::new);
    }
}
