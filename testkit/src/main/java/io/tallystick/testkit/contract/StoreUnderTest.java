package io.tallystick.testkit.contract;

import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;

/** The store of one contract test, its directory, and the store's properties that tests depend on. */
final class StoreUnderTest {
    static final String TYPE = "/Contract/Test";

    private final Path directory;
    private final Function<Path, ObjectStore> opener;
    private final LongFunction<ObjectId> ids;
    private final List<ObjectId> edgeIds;
    private final boolean durable;
    private final boolean hasDirectory;
    private final int maxStateBytes;
    private final List<ObjectStore> toClose = new ArrayList<>();

    private volatile ObjectStore current;

    StoreUnderTest(
            Path directory,
            Function<Path, ObjectStore> opener,
            LongFunction<ObjectId> ids,
            List<ObjectId> edgeIds,
            boolean durable,
            boolean hasDirectory,
            int maxStateBytes) {
        this.directory = directory;
        this.opener = opener;
        this.ids = ids;
        this.edgeIds = edgeIds;
        this.durable = durable;
        this.hasDirectory = hasDirectory;
        this.maxStateBytes = maxStateBytes;
    }

    /** The store, opened when it is first asked for; any thread may ask. */
    ObjectStore store() {
        ObjectStore store = current;
        return store != null ? store : opened();
    }

    private synchronized ObjectStore opened() {
        if (current == null) {
            current = openIn(directory);
        }
        return current;
    }

    /** Closes the store and opens it again. */
    synchronized ObjectStore reopened() {
        store().close();
        current = openIn(directory);
        return current;
    }

    /** Checks the store as it is. A durable store is then closed, opened again, and checked once more. */
    void nowAndAfterReopening(Consumer<ObjectStore> check) {
        check.accept(store());
        if (durable) {
            check.accept(reopened());
        }
    }

    /** Another store, closed after the test. */
    synchronized ObjectStore openIn(Path otherDirectory) {
        ObjectStore store = openUnregistered(otherDirectory);
        toClose.add(store);
        return store;
    }

    /** Another store, which the caller closes; any thread may call this. */
    ObjectStore openUnregistered(Path otherDirectory) {
        return opener.apply(otherDirectory);
    }

    Path directory() {
        return directory;
    }

    boolean isDurable() {
        return durable;
    }

    /** Whether the store lies in the directory. */
    boolean hasDirectory() {
        return hasDirectory;
    }

    int maxStateBytes() {
        return maxStateBytes;
    }

    StateKey key(long number) {
        return key(TYPE, number);
    }

    StateKey key(String type, long number) {
        return StateKey.of(type, ids.apply(number));
    }

    List<ObjectId> edgeIds() {
        return edgeIds;
    }

    void closeAll() {
        toClose.forEach(ObjectStore::close);
    }
}
