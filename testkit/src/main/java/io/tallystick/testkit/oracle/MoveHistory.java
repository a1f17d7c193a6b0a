package io.tallystick.testkit.oracle;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The moves and reads of one key by several threads at once, with their answers, and the search for one order that
 * explains all of them: linearizability (M. P. Herlihy, J. M. Wing, 1990), decided by trying the orders (J. M. Wing,
 * C. Gong, 1993) and forgetting the positions that were seen before. Each write has a value of its own. At most {@value
 * #MOST_CALLS} calls.
 *
 * <p>What a crash leaves is explained as well: it cuts the order at one place. Every forced move that returned lies
 * before the cut. So does every {@code force} that returned, and every forced move whose result a reader saw. A refused
 * move lies behind the cut, where moves that were deferred on top of it may have found it, or is in no order at all.
 */
public final class MoveHistory {
    private static final int MOST_CALLS = 31;
    private static final ModelMove[] MOVES = ModelMove.values();
    private static final int OTHER_CALLS = 4;

    private final ObjectStore store;
    private final StateKey key;
    private final List<Call> calls = new ArrayList<>();
    private long ticks;

    /** What became of a call. */
    private enum End {
        RETURNED,
        REFUSED,
        UNKNOWN
    }

    /** A move. Or, if there is none, a read, which fits some images, or a force, which fits all. */
    private record Call(
            String what,
            ModelMove move,
            byte[] state,
            boolean forced,
            boolean answer,
            Predicate<ModelImage> fits,
            End ended,
            long begin,
            long end) {
        boolean mayBeLeftOut() {
            return ended != End.RETURNED;
        }

        boolean mustBeOnDisk() {
            return forced && ended == End.RETURNED;
        }

        @Override
        public String toString() {
            return "[" + begin + ".." + (ended == End.UNKNOWN ? "?" : end) + "] " + what
                    + (ended == End.RETURNED ? "" : " " + ended);
        }
    }

    /**
     * How far an order has come: the calls in it, as bits, what they leave, whether that holds something of a forced
     * move, and whether the crash lies before.
     */
    private record Position(int done, ModelImage image, boolean holdsForced, boolean isCut) {}

    /** A history of this key, which is absent now. */
    public MoveHistory(ObjectStore store, StateKey key) {
        this.store = store;
        this.key = key;
    }

    /**
     * Performs a call of any kind and records it.
     *
     * @param state what it writes, if it writes; no other call may write the same
     */
    public void callAny(Random random, byte[] state) {
        int kind = random.nextInt(MOVES.length + OTHER_CALLS);
        switch (kind - MOVES.length) {
            case 0 -> read();
            case 1 -> readShadow();
            case 2 -> readStatus();
            case 3 -> force();
            default -> move(MOVES[kind], state, random.nextBoolean() ? Durability.DEFERRED : Durability.FORCED);
        }
    }

    /** As {@link #callAny}, but only writes, removals and reads of the committed value: they meet more often. */
    public void callPlain(Random random, byte[] state) {
        Durability durability = random.nextBoolean() ? Durability.DEFERRED : Durability.FORCED;
        switch (random.nextInt(4)) {
            case 0 -> move(ModelMove.WRITE, state, durability);
            case 1, 2 -> move(ModelMove.REMOVE, null, durability);
            default -> read();
        }
    }

    /** Performs a move and records it; {@code state} is the value that a write brings. */
    public void move(ModelMove move, byte[] state, Durability durability) {
        long begin = tick();
        boolean answer = false;
        End ended;
        try {
            answer = StoreMoves.perform(store, move, key, state, durability);
            ended = End.RETURNED;
        } catch (OutcomeUnknownException unknown) {
            ended = End.UNKNOWN;
        } catch (CorruptStoreException blamed) {
            throw Oracle.soundStoreBlamed(blamed);
        } catch (StoreException refused) {
            ended = End.REFUSED;
        }
        boolean writes = move == ModelMove.WRITE || move == ModelMove.WRITE_SHADOW;
        boolean forced = durability == Durability.FORCED || move == ModelMove.HIDE || move == ModelMove.REVEAL;
        String what = move
                + (forced ? " FORCED" : " DEFERRED")
                + (writes ? " " + ModelImage.shown(state) : "")
                + (ended == End.RETURNED ? " = " + answer : "");
        add(new Call(what, move, state, forced, answer, null, ended, begin, tick()));
    }

    /** Forces the store. What was deferred before is on disk. */
    public void force() {
        barrier("force", store::force);
    }

    /** Closes the store. What was deferred before is on disk. */
    public void close() {
        barrier("close", store::close);
    }

    private void barrier(String what, Runnable call) {
        long begin = tick();
        try {
            call.run();
            add(new Call(what, null, null, true, true, image -> true, End.RETURNED, begin, tick()));
        } catch (StoreException told) {
            // it promises nothing
        }
    }

    /** Reads the committed value, and records what was seen. */
    public void read() {
        see(
                () -> store.read(key).orElse(null),
                seen -> "read = " + ModelImage.shown(seen),
                (image, seen) -> Arrays.equals(image.readable(), seen));
    }

    /** Reads the shadow value, and records what was seen. */
    public void readShadow() {
        see(
                () -> store.readShadow(key).orElse(null),
                seen -> "shadow = " + ModelImage.shown(seen),
                (image, seen) -> Arrays.equals(image.readableShadow(), seen));
    }

    /** Reads the status, and records what was seen. */
    public void readStatus() {
        see(() -> store.statusOf(key), seen -> "status = " + seen, (image, seen) -> image.status() == seen);
    }

    private <T> void see(Supplier<T> reading, Function<T, String> shown, BiPredicate<ModelImage, T> fits) {
        long begin = tick();
        try {
            T seen = reading.get();
            // A failed store has lost its deferred effects, and shows what is on disk. No order explains that.
            if (store.failure().isEmpty()) {
                Predicate<ModelImage> fit = image -> fits.test(image, seen);
                add(new Call(shown.apply(seen), null, null, false, false, fit, End.RETURNED, begin, tick()));
            }
        } catch (CorruptStoreException blamed) {
            throw Oracle.soundStoreBlamed(blamed);
        } catch (StoreException told) {
            // a store that refuses to read shows nothing
        }
    }

    private synchronized long tick() {
        return ++ticks;
    }

    private synchronized void add(Call call) {
        if (calls.size() == MOST_CALLS) {
            throw new IllegalStateException("a history has at most " + MOST_CALLS + " calls");
        }
        calls.add(call);
    }

    /** Throws an {@link AssertionError} if no order explains what the callers were told. */
    public synchronized void check() {
        if (!isExplained(null)) {
            throw new AssertionError(
                    "I3 no invention violated: no order of these calls explains their answers: " + calls);
        }
    }

    /** Throws an {@link AssertionError} if no order explains that as well which a crash has left. */
    public synchronized void checkRecovered(ObjectStore recovered) {
        StateStatus status = recovered.statusOf(key);
        byte[] committed = recovered.read(key).orElse(null);
        byte[] shadow = recovered.readShadow(key).orElse(null);
        check();
        if (!isExplained(image -> image.status() == status
                && Arrays.equals(image.readable(), committed)
                && Arrays.equals(image.readableShadow(), shadow))) {
            throw new AssertionError("I1 durable violated: found=" + status + " committed="
                    + ModelImage.shown(committed) + " shadow=" + ModelImage.shown(shadow)
                    + " after recovery; no order of these calls explains it: " + calls);
        }
    }

    private boolean isExplained(Predicate<ModelImage> leftOrNull) {
        return search(new Position(0, ModelImage.ABSENT, false, false), leftOrNull, new HashSet<>());
    }

    private boolean search(Position at, Predicate<ModelImage> leftOrNull, Set<Position> seen) {
        boolean mayEnd = leftOrNull == null || at.isCut || leftOrNull.test(at.image);
        if (mayEnd && isComplete(at.done)) {
            return true;
        }
        if (!seen.add(at)) {
            return false;
        }
        // What lies before the cut is on disk, so a reader may see it, whoever forced it.
        if (leftOrNull != null
                && !at.isCut
                && leftOrNull.test(at.image)
                && search(new Position(at.done, at.image, false, true), leftOrNull, seen)) {
            return true;
        }
        for (int i = 0; i < calls.size(); i++) {
            if (isNext(i, at.done)) {
                Position next = after(at, i, leftOrNull == null);
                if (next != null && search(next, leftOrNull, seen)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isComplete(int done) {
        for (int i = 0; i < calls.size(); i++) {
            if ((done & 1 << i) == 0 && !calls.get(i).mayBeLeftOut()) {
                return false;
            }
        }
        return true;
    }

    /** Whether no call that is still to come ended before this one began. */
    private boolean isNext(int number, int done) {
        if ((done & 1 << number) != 0) {
            return false;
        }
        for (int i = 0; i < calls.size(); i++) {
            Call other = calls.get(i);
            if ((done & 1 << i) == 0 && !other.mayBeLeftOut() && other.end < calls.get(number).begin) {
                return false;
            }
        }
        return true;
    }

    /** The position behind this call; null if it cannot be the next. A refused move is in no order up to a crash. */
    private Position after(Position at, int number, boolean nothingCrashes) {
        Call call = calls.get(number);
        int done = at.done | 1 << number;
        if (at.isCut && call.mustBeOnDisk()) {
            return null;
        }
        if (call.move == null) {
            boolean isDirty = at.isCut && at.holdsForced;
            return isDirty || !call.fits.test(at.image) ? null : new Position(done, at.image, at.holdsForced, at.isCut);
        }
        boolean survivesCrash = !at.isCut && !nothingCrashes;
        boolean changes = call.move.answer(at.image);
        if ((survivesCrash && call.ended == End.REFUSED) || (call.ended == End.RETURNED && call.answer != changes)) {
            return null;
        }
        ModelImage image = call.move.after(at.image, call.state);
        boolean isForced = call.forced || call.ended == End.REFUSED;
        boolean holdsForced = at.holdsForced && (!changes || isBuiltOn(at.image, call.move, image));
        return new Position(done, image, holdsForced || changes && isForced, at.isCut);
    }

    /** Whether something of {@code before} is in {@code image}, so that who sees the one sees the other. */
    private static boolean isBuiltOn(ModelImage before, ModelMove move, ModelImage image) {
        boolean hasItsOwnValueAlone = move == ModelMove.WRITE && before.shadow() == null && !before.hidden();
        return !hasItsOwnValueAlone && !image.isAbsent();
    }
}
