package io.tallystick.store.file;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.StateStatus;
import io.tallystick.store.spi.StateImage;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The state of a key in memory: its status, its size, and the place of its values. The values are in the key's file,
 * except while an operation changes that file and after one of unknown outcome.
 */
final class StoredState {
    /** There is no state and no file. */
    static final StoredState NOTHING = new StoredState(StateImage.ABSENT, StateImage.ABSENT);

    private final StateStatus status;
    private final long bytes;
    private final @Nullable StateImage inMemory;

    // The place of the file until it has the key's name; null from then on. The round that renames it clears this a
    // moment later.
    private volatile @Nullable Elsewhere elsewhere;

    // The key's file, if it was left open; else null. Used by the thread that changes names only.
    private OpenFiles.@Nullable Kept open;

    /**
     * The place of a file that gets the key's name later.
     *
     * @param sequence the sequence in the file, which no other file of the store has
     */
    record Elsewhere(Path path, long sequence) {}

    private StoredState(StateImage image, @Nullable StateImage inMemory) {
        this.status = image.status();
        this.bytes = image.bytes();
        this.inMemory = inMemory;
    }

    /** The state of a file with this image. */
    static StoredState inFile(StateImage image) {
        return image.isAbsent() ? NOTHING : new StoredState(image, null);
    }

    /** The state of a file with this image, which is {@code elsewhere} until it gets the key's name. */
    static StoredState inFile(StateImage image, Elsewhere elsewhere) {
        StoredState stored = new StoredState(image, null);
        stored.elsewhere = elsewhere;
        return stored;
    }

    /** The state before an operation, with its values in memory: the key's file may change from now on. */
    static StoredState inMemory(StateImage image) {
        return image.isAbsent() ? NOTHING : new StoredState(image, image);
    }

    StateStatus status() {
        return status;
    }

    boolean isNothing() {
        return this == NOTHING;
    }

    /** State bytes in both values. */
    long bytes() {
        return bytes;
    }

    /** Whether the image is known without reading a file. */
    boolean isInMemory() {
        return inMemory != null;
    }

    /** The image, if it {@link #isInMemory}; else null. */
    @Nullable StateImage imageInMemory() {
        return inMemory;
    }

    /** The place of the file, now or a moment ago, if it is not known to have the key's name yet; else null. */
    @Nullable Elsewhere elsewhere() {
        return elsewhere;
    }

    /** Whether the values are in the file that has the key's name, and nowhere else. */
    boolean isInPlaceOnly() {
        return this != NOTHING && inMemory == null && elsewhere == null;
    }

    /** The file has got the key's name. */
    void isInPlace() {
        elsewhere = null;
    }

    /** The file was left open, unless this is null. */
    void leftOpen(OpenFiles.@Nullable Kept keptOrNull) {
        open = keptOrNull;
    }

    /** The key's file if it is open, now the caller's; else null. */
    @Nullable DiskFile takeOpenFile() {
        return open == null ? null : open.take();
    }
}
