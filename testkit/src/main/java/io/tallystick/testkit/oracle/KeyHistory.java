package io.tallystick.testkit.oracle;

import io.tallystick.store.Durability;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The images that one key went through, and those of them that a crash may leave. The lock of the {@link Oracle} guards
 * it.
 *
 * <p>A version is the key's image after one operation. It has several possible images if an earlier outcome is unknown.
 * A version is <em>certain</em> if its operation returned. Any other version is possible beside the last certain one.
 */
final class KeyHistory {
    private static final int EVENTS_KEPT = 24;

    private final StateKey key;
    private final List<Version> versions = new ArrayList<>();
    private final Set<ModelImage> refused = new HashSet<>();
    private final Deque<String> events = new ArrayDeque<>();

    private int floor;
    private boolean floorWasSeen;
    private int lastCertain;
    private Pending pending;

    /** The possible images of the key after one operation. */
    private record Version(Set<ModelImage> images, Durability durability) {}

    /** An operation that has been invoked and has not ended. */
    static final class Pending {
        private final KeyHistory history;
        private final ModelMove move;
        private final byte[] state;
        private final Durability durability;
        private final long tick;
        private final Set<ModelImage> results = new LinkedHashSet<>();
        private boolean seen;

        private Pending(KeyHistory history, ModelMove move, byte[] state, Durability durability, long tick) {
            this.history = history;
            this.move = move;
            this.state = state;
            this.durability = durability;
            this.tick = tick;
            history.current().forEach(image -> results.add(move.after(image, state)));
        }

        private Pending(KeyHistory history, Pending other) {
            this.history = history;
            this.move = other.move;
            this.state = other.state;
            this.durability = other.durability;
            this.tick = other.tick;
            results.addAll(other.results);
            seen = other.seen;
        }

        KeyHistory history() {
            return history;
        }

        Durability durability() {
            return durability;
        }

        /** The moment of its invocation, in ticks of the oracle. */
        long tick() {
            return tick;
        }

        @Override
        public String toString() {
            return move + " " + durability + (state == null ? "" : " " + ModelImage.shown(state));
        }
    }

    KeyHistory(StateKey key) {
        this.key = key;
        restart(Set.of(ModelImage.ABSENT));
    }

    KeyHistory(KeyHistory other) {
        key = other.key;
        versions.addAll(other.versions);
        refused.addAll(other.refused);
        events.addAll(other.events);
        floor = other.floor;
        floorWasSeen = other.floorWasSeen;
        lastCertain = other.lastCertain;
        pending = other.pending == null ? null : new Pending(this, other.pending);
    }

    StateKey key() {
        return key;
    }

    /** Forgets everything except that the key holds one of these images, on disk. */
    private void restart(Set<ModelImage> images) {
        versions.clear();
        refused.clear();
        versions.add(new Version(images, Durability.FORCED));
        floor = 0;
        floorWasSeen = false;
        lastCertain = 0;
        pending = null;
    }

    Pending begin(ModelMove move, byte[] state, Durability durability, long tick) {
        if (pending != null) {
            throw new IllegalStateException("key=" + key.toPrintable() + " is changed twice at once: " + pending
                    + " has not ended; change each key from one thread at a time");
        }
        pending = new Pending(this, move, state, durability, tick);
        return pending;
    }

    /** The operation returned. Answers the version that it made. */
    int returned(Pending operation, boolean answer) {
        note(operation + " returned " + answer);
        Set<ModelImage> after = new LinkedHashSet<>();
        for (ModelImage before : current()) {
            if (operation.move.answer(before) == answer) {
                after.add(operation.move.after(before, operation.state));
            }
        }
        if (after.isEmpty()) {
            throw violation("table of moves", operation + " answered " + answer + " on " + current());
        }
        versions.add(new Version(after, operation.durability));
        lastCertain = versions.size() - 1;
        pending = null;
        return lastCertain;
    }

    /** The operation threw an exception that promises no effect. */
    void refused(Pending operation, Throwable reason) {
        note(operation + " threw " + reason.getClass().getSimpleName());
        pending = null;
        if (operation.seen) {
            throw violation("I7 no dirty read", operation + " was seen by a reader and then refused: " + reason);
        }
        refused.addAll(operation.results);
    }

    /** The operation threw an exception that says its outcome is unknown. */
    void unknown(Pending operation, Throwable reason) {
        note(operation + " threw " + reason.getClass().getSimpleName());
        versions.add(new Version(operation.results, operation.durability));
        if (operation.seen) {
            promiseBecauseSeen(versions.size() - 1);
        }
        pending = null;
    }

    /** A crash must not lose this version or one before it any more. */
    void promise(int version) {
        if (version > floor) {
            floor = version;
            floorWasSeen = false;
        }
    }

    /** As {@link #promise(int)}, because a later operation on any key returned. */
    void promise(int version, String laterOperation) {
        if (version > floor) {
            note("on disk since " + laterOperation + " returned");
            promise(version);
        }
    }

    private void promiseBecauseSeen(int version) {
        if (version > floor) {
            floor = version;
            floorWasSeen = true;
        }
    }

    /** The last version whose operation returned. */
    int lastCertain() {
        return lastCertain;
    }

    /**
     * A reader that began when {@code since} was the last certain version saw an image that fits. In a failed store a
     * reader may also see any version from the floor on: deferred effects are lost, and only data on disk stays
     * readable. The floor may have risen since the reader began.
     */
    void seen(int since, boolean failed, Predicate<ModelImage> fits, String what) {
        int begun = Math.min(since, lastCertain);
        for (int i = failed ? Math.min(begun, floor) : begun; i < versions.size(); i++) {
            Version version = versions.get(i);
            if (version.images.stream().anyMatch(fits)) {
                if (version.durability == Durability.FORCED) {
                    promiseBecauseSeen(i);
                }
                return;
            }
        }
        if (pending == null || pending.results.stream().noneMatch(fits)) {
            throw violation(
                    "I3 no invention",
                    "a reader saw " + what + " where it should see one of " + current()
                            + (pending == null ? "" : " or " + pending.results));
        }
        pending.seen |= pending.durability == Durability.FORCED;
    }

    /** Checks the image after a crash, and continues from it. */
    void recovered(ModelImage found) {
        if (!allowed().contains(found)) {
            throw violation(violatedBy(found), "found=" + found + " after recovery, allowed=" + allowed());
        }
        restart(Set.of(found));
        note("recovered " + found);
    }

    /** As {@link #recovered(ModelImage)} for a hidden key, of which only the status can be seen. */
    void recoveredHidden(StateStatus status) {
        Set<ModelImage> possible = new LinkedHashSet<>(allowed());
        possible.removeIf(image -> image.status() != status);
        if (possible.isEmpty()) {
            throw violation("I3 no invention", "found=" + status + " after recovery, allowed=" + allowed());
        }
        restart(possible);
        note("recovered " + status);
    }

    AssertionError violation(String invariant, String what) {
        return new AssertionError(
                invariant + " violated: key=" + key.toPrintable() + " " + what + "; history=" + events);
    }

    private Set<ModelImage> current() {
        return union(versions.subList(lastCertain, versions.size()));
    }

    private Set<ModelImage> allowed() {
        boolean pendingIsPromised = pending != null && pending.seen;
        Set<ModelImage> allowed =
                pendingIsPromised ? new LinkedHashSet<>() : union(versions.subList(floor, versions.size()));
        if (pending != null) {
            allowed.addAll(pending.results);
        }
        return allowed;
    }

    private String violatedBy(ModelImage found) {
        if (union(versions.subList(0, floor)).contains(found)) {
            if (floorWasSeen) {
                return "I7 no dirty read";
            }
            return versions.get(floor).images.contains(ModelImage.ABSENT) ? "I2 no resurrection" : "I1 durable";
        }
        if (pending != null && pending.seen && union(versions).contains(found)) {
            return "I7 no dirty read";
        }
        if (refused.contains(found)) {
            return "I6 honest outcome";
        }
        return found.isAbsent() ? "I1 durable" : "I3 no invention";
    }

    private static Set<ModelImage> union(List<Version> versions) {
        Set<ModelImage> union = new LinkedHashSet<>();
        versions.forEach(version -> union.addAll(version.images));
        return union;
    }

    private void note(String event) {
        events.add(event);
        if (events.size() > EVENTS_KEPT) {
            events.remove();
        }
    }
}
