package io.tallystick.durability.subject;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import com.arjuna.ats.internal.arjuna.common.UidHelper;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store of Narayana behind our interface, with committed states only. Its answers are read in its favour:
 * {@code false} means not written, an exception means an unknown outcome. It does not promise that a removal is on
 * disk, so removals must be deferred. Ids have 8 bytes, which become the last two numbers of a Uid.
 */
final class PeerStore implements ObjectStore {
    private static final long[] ADDRESS = {0x7f000001L, 0x0a000001L};
    private static final int PROCESS = 4711;

    private final ObjectStoreAPI store;

    PeerStore(ObjectStoreAPI store) {
        this.store = store;
    }

    /** A call of Narayana's interface. */
    private interface Call<T> {
        T run() throws ObjectStoreException, IOException;
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        OutputObjectState packed = new OutputObjectState(uid(key), key.type());
        boolean written = run(() -> {
            packed.packBytes(state);
            return store.write_committed(uid(key), key.type(), packed);
        });
        if (!written) {
            throw new StoreIoException("write_committed answered false", null);
        }
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        write(key, state, Durability.FORCED);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        if (durability == Durability.FORCED) {
            throw new UnsupportedOperationException("it has no forced removals");
        }
        boolean there = read(key).isPresent();
        boolean removed = run(() -> store.remove_committed(uid(key), key.type()));
        if (there && !removed) {
            throw new StoreIoException("remove_committed answered false", null);
        }
        return there;
    }

    @Override
    public void force() {
        run(() -> {
            store.sync();
            return null;
        });
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        return run(() -> {
            InputObjectState found = store.read_committed(uid(key), key.type());
            return found == null ? Optional.empty() : Optional.of(found.unpackBytes());
        });
    }

    @Override
    public Set<String> types() {
        InputObjectState found = new InputObjectState();
        run(() -> store.allTypes(found));
        Set<String> types = new HashSet<>();
        for (String name = next(found); !name.isEmpty(); name = next(found)) {
            // Narayana lists parents too, and types without a state
            String type = name.startsWith("/") ? name : "/" + name;
            if (!keys(type).isEmpty()) {
                types.add(type);
            }
        }
        return types;
    }

    @Override
    public List<StateKey> keys(String type) {
        InputObjectState found = new InputObjectState();
        run(() -> store.allObjUids(type, found));
        List<StateKey> keys = new ArrayList<>();
        if (found.notempty()) {
            for (Uid uid = nextUid(found); uid.notEquals(Uid.nullUid()); uid = nextUid(found)) {
                keys.add(StateKey.of(type, idOf(uid)));
            }
        }
        return keys;
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        return read(key).isPresent() ? StateStatus.COMMITTED : StateStatus.ABSENT;
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        return Optional.empty();
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        throw committedOnly();
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        throw committedOnly();
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        throw committedOnly();
    }

    @Override
    public boolean hide(StateKey key) {
        throw committedOnly();
    }

    @Override
    public boolean reveal(StateKey key) {
        throw committedOnly();
    }

    @Override
    public StoreDescription description() {
        return new StoreDescription("peer", Optional.empty(), Optional.empty(), Optional.empty(), "");
    }

    @Override
    public StoreStatistics statistics() {
        throw new UnsupportedOperationException("it has no statistics");
    }

    /** It does not report failures. */
    @Override
    public void proveOwned() {
        throw new UnsupportedOperationException("a peer has no such proof");
    }

    @Override
    public Optional<StoreException> failure() {
        return Optional.empty();
    }

    @Override
    public void close() {
        store.stop();
    }

    private static <T> T run(Call<T> call) {
        try {
            return call.run();
        } catch (ObjectStoreException | IOException | RuntimeException failed) {
            throw new OutcomeUnknownException("threw " + failed + ", which leaves the outcome unknown", failed);
        }
    }

    private static UnsupportedOperationException committedOnly() {
        return new UnsupportedOperationException("only committed states are compared");
    }

    private static Uid uid(StateKey key) {
        ByteBuffer id = ByteBuffer.wrap(key.id().toBytes());
        return new Uid(ADDRESS, PROCESS, id.getInt(), id.getInt());
    }

    private static ObjectId idOf(Uid uid) {
        ByteBuffer bytes = ByteBuffer.wrap(uid.getBytes());
        return ObjectId.of(ByteBuffer.allocate(Long.BYTES)
                .putInt(bytes.getInt(2 * Long.BYTES + Integer.BYTES))
                .putInt(bytes.getInt(2 * Long.BYTES + 2 * Integer.BYTES))
                .array());
    }

    private static String next(InputObjectState found) {
        try {
            return found.notempty() ? Objects.requireNonNullElse(found.unpackString(), "") : "";
        } catch (IOException torn) {
            return "";
        }
    }

    private static Uid nextUid(InputObjectState found) {
        try {
            return UidHelper.unpackFrom(found);
        } catch (IOException torn) {
            return Uid.nullUid();
        }
    }
}
