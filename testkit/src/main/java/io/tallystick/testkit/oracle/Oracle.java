package io.tallystick.testkit.oracle;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreFailedException;
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
 * Records the calls of a store and its answers, and checks its states after a crash against the invariants I1 to I7 of
 * docs/durability.md.
 *
 * <p>{@link #watch} wraps a store. Calls through the wrapper are recorded; a wrong answer, a wrong read or a success
 * after a failure throws at once. Each key must be changed by one thread at a time. Any thread may read and scan. After
 * a crash or a close, {@link #checkRecovered} checks all states of the store and continues from them. So one oracle
 * follows a store through many lives. A violation is an {@link AssertionError} with the invariant's name and the key's
 * history.
 *
 * <p><b>How it judges.</b> Each key has the list of images that it went through. The <em>floor</em> is the image of the
 * last operation that is promised to be on disk. A {@link Durability#FORCED} operation is promised when it returned.
 * Any operation is promised when a forced operation, a {@code force} or a {@code close} that began later returned, or a
 * reader saw its image. A crash may leave any image from the floor on, and no other.
 */
public final class Oracle {
    private static final long NEVER = Long.MAX_VALUE;

    private final Map<StateKey, KeyHistory> histories = new LinkedHashMap<>();
    private final List<Deferred> deferred = new ArrayList<>();

    private long ticks;
    private long failedAtTick = NEVER;
    private boolean mayBeDamaged;

    /** An oracle of a store that has had no call yet. */
    public Oracle() {}

    private Oracle(Oracle other) {
        other.histories.forEach((key, history) -> histories.put(key, new KeyHistory(history)));
        other.deferred.forEach(
                entry -> deferred.add(new Deferred(histories.get(entry.history.key()), entry.version, entry.tick)));
        ticks = other.ticks;
        failedAtTick = other.failedAtTick;
        mayBeDamaged = other.mayBeDamaged;
    }

    /** An operation that returned at this tick and need not be on disk yet. */
    private record Deferred(KeyHistory history, int version, long tick) {}

    /** The store behind a wrapper that records every call. */
    public ObjectStore watch(ObjectStore store) {
        return new WatchedStore(this, store);
    }

    /** An independent copy of this oracle, to check several crashes of one life. */
    public synchronized Oracle copy() {
        return new Oracle(this);
    }

    /**
     * Checks a store that was opened again, and continues from the states that it holds. It changes nothing in the
     * store. Of hidden keys it checks only the status; {@link #revealAll} checks the rest.
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
     * Reveals all hidden keys and checks their values.
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

    /**
     * From now on the bytes of the store may be damaged. Until this is called, a store that says that it is damaged
     * violates its promise.
     */
    public synchronized void expectDamage() {
        mayBeDamaged = true;
    }

    void checkBlame(Throwable failure) {
        if (failure instanceof CorruptStoreException blamed && !mayBeDamaged()) {
            throw soundStoreBlamed(blamed);
        }
    }

    private synchronized boolean mayBeDamaged() {
        return mayBeDamaged;
    }

    /** What to throw when a sound store says that it is damaged: it would refuse what it has acknowledged. */
    static AssertionError soundStoreBlamed(CorruptStoreException blamed) {
        return new AssertionError("I1 durable violated: a sound store says that it is damaged: " + blamed, blamed);
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
            throw history.violation("I5 fail-stop", operation + " returned after a caller had learned of the failure");
        }
        if (operation.durability() == Durability.FORCED) {
            history.promise(version);
            promiseBefore(
                    operation.tick(), operation + " of key=" + history.key().toPrintable());
        } else {
            deferred.add(new Deferred(history, version, ++ticks));
        }
    }

    /** The operation threw an exception that promises no effect. */
    synchronized void refused(KeyHistory.Pending operation, Throwable reason) {
        operation.history().refused(operation, reason);
        if (reason instanceof StoreFailedException) {
            failed();
        }
    }

    /** The operation threw an exception that says its outcome is unknown. */
    synchronized void unknown(KeyHistory.Pending operation, Throwable reason) {
        operation.history().unknown(operation, reason);
        failed();
    }

    /** A caller has learned that the store has failed: no call that is invoked from now on may return. */
    synchronized void failed() {
        failedAtTick = Math.min(failedAtTick, ++ticks);
    }

    /**
     * The tick at the invocation of {@code force} or {@code close}, to be passed to {@link #forced} or {@link #closed}.
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

    /** The last certain version of the key, to be passed to {@link #seen} after a read. */
    synchronized int versionOf(StateKey key) {
        return history(key).lastCertain();
    }

    /** Checks the image that a reader saw between the version {@code since} and now. */
    synchronized void seen(StateKey key, int since, boolean failed, Predicate<ModelImage> fits, String what) {
        history(key).seen(since, failed || failedAtTick != NEVER, fits, what);
    }

    /** The keys of this type that any call has named. */
    synchronized List<StateKey> knownKeys(String type) {
        return histories.keySet().stream()
                .filter(key -> key.type().equals(type))
                .toList();
    }

    private KeyHistory history(StateKey key) {
        return histories.computeIfAbsent(key, KeyHistory::new);
    }
}
