package io.tallystick.store.file;

import io.tallystick.store.Durability;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.file.NameChange.EarlyRetire;
import io.tallystick.store.file.NameChange.Install;
import io.tallystick.store.file.NameChange.Retire;
import io.tallystick.store.spi.StateImage;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/**
 * Changes the states of keys, each under its ticket: reads the image, moves it, writes the file, and queues the change
 * of name. All of that happens on the calling thread.
 */
final class StateChanges {
    private final StoreContext context;
    private final FailStop failStop;
    private final Path directory;
    private final TypeDirectories types;
    private final StateFiles files;
    private final SyncRounds rounds;
    private final IdleForcer idle;

    StateChanges(StoreContext context, Path directory, TypeDirectories types, StateFiles files, SyncRounds rounds) {
        this.context = context;
        this.failStop = context.failStop();
        this.directory = directory;
        this.types = types;
        this.files = files;
        this.rounds = rounds;
        this.idle = new IdleForcer(rounds, failStop);
    }

    /** The effect of a mutation. */
    enum Effect {
        /** Nothing: the key holds nothing, and still does. */
        NOTHING_THERE,
        /** Nothing: the key had that state already. */
        UNCHANGED,
        /** The key's state has changed. */
        CHANGED
    }

    /** Carries out a mutation that makes the key if it is not there. */
    void change(StateKey key, UnaryOperator<StateImage> move, Durability durability) {
        TypeDirectory type = typeToChange(key);
        carryOut(type, key, type.queue(key.id()), move, durability);
    }

    /** The type of the key, whose directory is on disk, in a store that is sound. */
    TypeDirectory typeToChange(StateKey key) {
        failStop.check();
        return types.obtain(key.type());
    }

    /** Carries out a mutation that does nothing to a key that is not there. */
    Effect changeExisting(StateKey key, UnaryOperator<StateImage> move, Durability durability) {
        failStop.check();
        TypeDirectory type = types.find(key.type());
        Effect effect =
                type == null ? Effect.NOTHING_THERE : carryOut(type, key, type.queue(key.id()), move, durability);
        if (effect != Effect.CHANGED && durability == Durability.FORCED) {
            // The state that makes this move change nothing may be deferred, a removal perhaps: it must be on disk as
            // well.
            rounds.force();
        }
        return effect;
    }

    /** Takes a plain committed value away without looking at its file; false if there is no committed value. */
    boolean removeLater(StateKey key) {
        failStop.check();
        TypeDirectory type = types.find(key.type());
        if (type == null) {
            return false;
        }
        KeyTicket ticket = type.queue(key.id());
        StoredState before = await(type, key, ticket);
        if (before.status().hasShadow()) {
            return carryOut(type, key, ticket, StateImage::remove, Durability.DEFERRED) == Effect.CHANGED;
        }
        return retireLater(type, key, ticket, before);
    }

    /** Waits for the ticket before, carries the move out, and settles the ticket in any case. */
    Effect carryOut(
            TypeDirectory type, StateKey key, KeyTicket ticket, UnaryOperator<StateImage> move, Durability durability) {
        StoredState before = await(type, key, ticket);
        StoredState after = before;
        try {
            failStop.check();
            StateImage image = files.imageOf(type, key, before);
            StateImage moved = move.apply(image);
            if (moved == image) {
                return before.isNothing() ? Effect.NOTHING_THERE : Effect.UNCHANGED;
            }
            StoredState fromBefore = StoredState.inMemory(image);
            ticket.work(fromBefore);
            after = fromBefore;
            try {
                after = replace(type, key, before, moved, durability);
            } catch (StoreException failed) {
                if (!(failed instanceof OutcomeUnknownException)) {
                    after = before;
                }
                throw failed;
            }
            count(type, before, after);
            return Effect.CHANGED;
        } finally {
            type.settle(key.id(), ticket, after);
        }
    }

    /** Waits for the ticket before, and returns its result. If that fails, this ticket ends with the same result. */
    private static StoredState await(TypeDirectory type, StateKey key, KeyTicket ticket) {
        try {
            return ticket.await();
        } catch (RuntimeException | Error failed) {
            ticket.whenReady(() -> type.end(key.id(), ticket, ticket.await()));
            throw failed;
        }
    }

    private boolean retireLater(TypeDirectory type, StateKey key, KeyTicket ticket, StoredState before) {
        Retire change = null;
        try {
            if (!before.isNothing()) {
                boolean canBecomeSpare = type.isOneBlock(key.id(), before.bytes());
                change = new EarlyRetire(type, type.stateFile(key.id()), before, canBecomeSpare, ticket);
                rounds.defer(change);
                idle.wake();
                count(type, before, StoredState.NOTHING);
            }
            return change != null;
        } finally {
            // Readers may have seen the removal, so it stays, even if its outcome is unknown.
            boolean isShown = change != null && change.mayBeSeen();
            type.settle(key.id(), ticket, isShown ? StoredState.NOTHING : before);
        }
    }

    /** Replaces the image of a key, on disk or, if deferred, on its way there. */
    private StoredState replace(
            TypeDirectory type, StateKey key, StoredState before, StateImage image, Durability durability) {
        // The caller of a deferred change cannot get the error of a full disk. So a change that needs a name is not
        // deferred then.
        boolean deferred =
                durability == Durability.DEFERRED && (image.isAbsent() || !FullDisk.isNear(context.disk(), directory));
        Path state = type.stateFile(key.id());
        if (image.isAbsent()) {
            carryOut(new Retire(type, state, before, type.isOneBlock(key.id(), before.bytes()), deferred));
            return StoredState.NOTHING;
        }
        WrittenFile written = files.write(type, key, image);
        NameChange install = null;
        try {
            if (!deferred) {
                written.stored().leftOpen(files.force(written));
            }
            install = new Install(type, state, before, written, deferred);
            carryOut(install);
            return written.stored();
        } catch (RuntimeException | Error failed) {
            // What is queued belongs to a round.
            if (install == null || !install.isQueued()) {
                written.abandon();
            }
            throw failed;
        }
    }

    private void carryOut(NameChange change) {
        if (change.deferred) {
            rounds.defer(change);
            idle.wake();
        } else {
            rounds.force(change);
        }
    }

    private void count(TypeDirectory type, StoredState before, StoredState after) {
        int difference = (after.isNothing() ? 0 : 1) - (before.isNothing() ? 0 : 1);
        if (difference != 0) {
            type.keysChanged(difference);
            context.statistics().recordsChanged(difference);
        }
        context.statistics().bytesChanged(after.bytes() - before.bytes());
    }

    /** Brings all changes that were deferred before to disk. */
    void force() {
        rounds.force();
    }

    /** Ends the thread that forces deferred changes. */
    void stopIdleForcer() {
        idle.stop();
    }

    /**
     * Forces deferred changes and closes every file. No other operation may be in progress.
     *
     * @throws StoreException deferred changes may not be on disk
     */
    void close() {
        try {
            if (failStop.failure().isEmpty()) {
                rounds.force();
                types.all().forEach(type -> type.spares().dropAll(context.disk()));
            } else if (rounds.outstandingDeferred() > 0) {
                throw failStop.unknown();
            }
        } finally {
            rounds.end();
            rounds.abandon();
            types.all().forEach(type -> type.spares().closeAll());
            context.openFiles().closeAll();
        }
    }
}
