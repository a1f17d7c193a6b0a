package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.state.InputBuffer;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreStatistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Narayana's view of a store, looked at as a store again, so that the contract of stores can be asked of the adaptor.
 * What Narayana's interface cannot say is put in its own terms: deferred writes are forced, forced removals are
 * removals and a sync, whether there was a shadow to commit is asked first, and the eight bytes that its buffers add
 * to a state are taken off again. Description, statistics and failure are not Narayana's business and come from the
 * store below.
 */
final class SeenThroughNarayana implements ObjectStore {
    /** What an OutputObjectState adds to the bytes it is given. */
    static final int ADDED_BYTES = 8;

    private final ObjectStore below;
    private final int maxStateBytes;
    private final TallystickObjectStore adaptor;
    private final Object shadowMoves = new Object();
    private final AtomicLong ownReads = new AtomicLong();

    SeenThroughNarayana(ObjectStore below, int maxStateBytes) {
        this.below = below;
        this.maxStateBytes = maxStateBytes;
        this.adaptor = new TallystickObjectStore(below);
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        Objects.requireNonNull(durability);
        check(state, () -> adaptor.write_committed(uid(key), key.type(), stateOf(key, state)));
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        write(key, state, Durability.FORCED);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        return withDurability(durability, () -> adaptor.remove_committed(uid(key), key.type()));
    }

    @Override
    public void force() {
        run(() -> {
            adaptor.sync();
            return null;
        });
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        Objects.requireNonNull(durability);
        synchronized (shadowMoves) {
            check(state, () -> adaptor.write_uncommitted(uid(key), key.type(), stateOf(key, state)));
        }
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        return bytesOf(run(() -> adaptor.read_uncommitted(uid(key), key.type())));
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        Objects.requireNonNull(durability);
        synchronized (shadowMoves) {
            boolean there = statusOf(key).hasShadow();
            boolean answer = run(() -> adaptor.commit_state(uid(key), key.type()));
            if (!answer) {
                throw new AssertionError("commit_state answered false");
            }
            return there;
        }
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        synchronized (shadowMoves) {
            return withDurability(durability, () -> adaptor.remove_uncommitted(uid(key), key.type()));
        }
    }

    @Override
    public Set<String> types() {
        InputObjectState found = new InputObjectState();
        run(() -> adaptor.allTypes(found));
        Set<String> types = new HashSet<>();
        String name = text(found);
        while (!name.isEmpty()) {
            // Parents are listed too; they are types of ours only if they have a key.
            if (!keys('/' + name).isEmpty()) {
                types.add('/' + name);
            }
            name = text(found);
        }
        return types;
    }

    @Override
    public List<StateKey> keys(String type) {
        Objects.requireNonNull(type);
        InputObjectState found = new InputObjectState();
        run(() -> adaptor.allObjUids(type, found));
        List<StateKey> keys = new ArrayList<>();
        byte[] id = bytes(found);
        while (!Arrays.equals(id, Uid.nullUid().getBytes())) {
            keys.add(StateKey.of(type, ObjectId.of(id)));
            id = bytes(found);
        }
        return keys;
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        return bytesOf(run(() -> adaptor.read_committed(uid(key), key.type())));
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        int code = run(() -> adaptor.currentState(uid(key), key.type()));
        return switch (code) {
            case -1 -> StateStatus.ABSENT;
            case 1 -> StateStatus.COMMITTED;
            case 2 -> StateStatus.SHADOW;
            case 5 -> StateStatus.COMMITTED_HIDDEN;
            case 6 -> StateStatus.SHADOW_HIDDEN;
            default -> throw new AssertionError("currentState answered " + code);
        };
    }

    @Override
    public boolean hide(StateKey key) {
        return run(() -> adaptor.hide_state(uid(key), key.type()));
    }

    @Override
    public boolean reveal(StateKey key) {
        return run(() -> adaptor.reveal_state(uid(key), key.type()));
    }

    @Override
    public StoreDescription description() {
        return below.description();
    }

    /** Those of the store below, without the added bytes, and without what counting them has read. */
    @Override
    public StoreStatistics statistics() {
        StoreStatistics seen = below.statistics();
        long readsBefore = ownReads.get();
        long added = isClosed() ? 0 : ADDED_BYTES * countValues();
        return new StoreStatistics(
                seen.records(),
                seen.bytes() - added,
                seen.writes(),
                seen.removes(),
                seen.reads() - readsBefore,
                seen.bytesWritten(),
                seen.forces(),
                seen.recordsForced(),
                seen.forceLatency());
    }

    /** What Narayana gets a proof by: the question for a record of a transaction that is not there. */
    @Override
    public void proveOwned() {
        int code = run(() -> adaptor.currentState(new Uid(), NarayanaRecords.ACTIONS));
        if (code != -1) {
            throw new AssertionError("currentState of an unknown Uid answered " + code);
        }
    }

    @Override
    public Optional<StoreException> failure() {
        return adaptor.store().failure();
    }

    @Override
    public void close() {
        adaptor.stop();
    }

    private boolean isClosed() {
        try {
            below.types();
            return false;
        } catch (StoreException closed) {
            return true;
        }
    }

    private long countValues() {
        long values = 0;
        for (String type : below.types()) {
            for (StateKey key : below.keys(type)) {
                values += below.statusOf(key).hasShadow() && hasCommitted(key) ? 2 : 1;
            }
        }
        return values;
    }

    private boolean hasCommitted(StateKey key) {
        boolean hidden = below.statusOf(key).isHidden();
        if (hidden) {
            below.reveal(key);
        }
        boolean has = below.read(key).isPresent();
        if (has) {
            ownReads.incrementAndGet();
        }
        if (hidden) {
            below.hide(key);
        }
        return has;
    }

    private boolean withDurability(Durability durability, Call<Boolean> removal) {
        Objects.requireNonNull(durability);
        boolean removed = run(removal);
        if (durability == Durability.FORCED) {
            force();
        }
        return removed;
    }

    private void check(byte[] state, Call<Boolean> write) {
        boolean answer;
        try {
            answer = run(write);
        } catch (IllegalArgumentException tooLarge) {
            throw new IllegalArgumentException(
                    tooLarge.getMessage() + "; without the bytes that were added: " + state.length + " of at most "
                            + maxStateBytes,
                    tooLarge);
        }
        if (!answer) {
            throw new AssertionError("a write answered false");
        }
    }

    private static <T> T run(Call<T> call) {
        try {
            return call.run();
        } catch (ObjectStoreException told) {
            if (told.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError("an ObjectStoreException without its cause", told);
        } catch (IOException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private static Uid uid(StateKey key) {
        return new Uid(key.id().toBytes());
    }

    private static OutputObjectState stateOf(StateKey key, byte[] bytes) {
        return new OutputObjectState(uid(key), key.type(), Objects.requireNonNull(bytes));
    }

    private static Optional<byte[]> bytesOf(InputObjectState state) {
        return Optional.ofNullable(state)
                .map(InputBuffer::buffer)
                .map(bytes -> Arrays.copyOf(bytes, bytes.length - ADDED_BYTES));
    }

    private static String text(InputBuffer buffer) {
        try {
            return buffer.unpackString();
        } catch (IOException torn) {
            throw new AssertionError("the list does not end as it must", torn);
        }
    }

    private static byte[] bytes(InputBuffer buffer) {
        try {
            return buffer.unpackBytes();
        } catch (IOException torn) {
            throw new AssertionError("the list does not end as it must", torn);
        }
    }

    private interface Call<T> {
        T run() throws ObjectStoreException, IOException;
    }
}
