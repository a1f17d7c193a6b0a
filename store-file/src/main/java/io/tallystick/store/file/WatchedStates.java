package io.tallystick.store.file;

import io.tallystick.storage.PlaceLostException;
import io.tallystick.storage.PlaceWatch;
import io.tallystick.storage.UsedFile;
import io.tallystick.store.ObjectId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * Names the directories of the store and the files of its states to the watch of its place. A store may have very many
 * states, so each look gets {@value #STATES_AT_A_LOOK} of them, in turn.
 *
 * <p>Only files that have the key's name and that no operation changes are named: readers see their states without an
 * image in memory. By the thread that looks only.
 */
final class WatchedStates implements PlaceWatch.User {
    static final int STATES_AT_A_LOOK = 256;

    private final Path root;
    private final TypeDirectories types;
    private final FailStop failStop;

    private final Map<UsedFile, Placed> named = new HashMap<>();
    private Iterator<TypeDirectory> nextTypes = Collections.emptyIterator();

    @SuppressWarnings("NullAway.Init") // set before nextIds has one of its ids
    private TypeDirectory type;

    private Iterator<ObjectId> nextIds = Collections.emptyIterator();

    /** A state in its file. */
    private record Placed(TypeDirectory type, ObjectId id, StoredState state) {
        boolean isStillThere() {
            return type.visible(id) == state && state.isInPlaceOnly();
        }
    }

    /** @param root the directory of the states, which exists once there is a type */
    WatchedStates(Path root, TypeDirectories types, FailStop failStop) {
        this.root = root;
        this.types = types;
        this.failStop = failStop;
    }

    @Override
    public Collection<UsedFile> filesInUse() {
        named.clear();
        Collection<UsedFile> files = new ArrayList<>();
        if (!types.all().isEmpty()) {
            files.add(UsedFile.named(root, 0));
        }
        if (!nextIds.hasNext() && !nextTypes.hasNext()) {
            nextTypes = types.all().iterator();
        }
        int asked = 0;
        while (asked < STATES_AT_A_LOOK && (nextIds.hasNext() || nextTypes.hasNext())) {
            if (nextIds.hasNext()) {
                addState(nextIds.next(), files);
            } else {
                type = nextTypes.next();
                nextIds = type.ids();
                files.add(UsedFile.named(type.path(), 0));
            }
            asked++;
        }
        return files;
    }

    private void addState(ObjectId id, Collection<UsedFile> files) {
        Placed placed = new Placed(type, id, type.visible(id));
        if (placed.isStillThere()) {
            UsedFile file = UsedFile.named(type.stateFile(id), type.leastFileBytes(id, placed.state.bytes()));
            named.put(file, placed);
            files.add(file);
        }
    }

    @Override
    public boolean isStillUsed(UsedFile file) {
        Placed placed = named.get(file);
        return placed == null || placed.isStillThere(); // directories stay
    }

    @Override
    public void placeIsLost(PlaceLostException loss) {
        failStop.placeIsLost(loss);
    }
}
