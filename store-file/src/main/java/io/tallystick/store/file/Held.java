package io.tallystick.store.file;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.StateStatus;
import io.tallystick.store.spi.StateImage;
import java.nio.file.Path;

/**
 * What the store holds for a key, without the values: they are in the key's file. This and the key are all that a key
 * costs in memory.
 */
final class Held {
    /** Nothing, and there is no file. */
    static final Held NOTHING = new Held(StateStatus.ABSENT, 0, null);

    private final StateStatus status;
    private final long bytes;
    private final StateImage lastKnown;

    // Where the file is until it has the key's name; null from then on. Set back by whoever gives it the name.
    private volatile Path elsewhere;

    // The key's file, if it was left open; else null. Used where names are changed, by one thread at a time.
    private OpenFiles.Kept open;

    private Held(StateStatus status, long bytes, StateImage lastKnown) {
        this.status = status;
        this.bytes = bytes;
        this.lastKnown = lastKnown;
    }

    /** What a file with this image holds. */
    static Held inFile(StateImage image) {
        return image.isAbsent() ? NOTHING : of(image, null);
    }

    /** What a file with this image holds, which is {@code elsewhere} until it gets the key's name. */
    static Held inFile(StateImage image, Path elsewhere) {
        Held held = of(image, null);
        held.elsewhere = elsewhere;
        return held;
    }

    /** What was there before an operation whose outcome is unknown, so that the file no longer tells it. */
    static Held inMemory(StateImage image) {
        return image.isAbsent() ? NOTHING : of(image, image);
    }

    private static Held of(StateImage image, StateImage lastKnown) {
        return new Held(image.status(), image.bytes(), lastKnown);
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

    /** The image, if it is not to be read from the file; else null. */
    StateImage lastKnown() {
        return lastKnown;
    }

    /** Where the file is, if it does not have the key's name yet; else null. */
    Path elsewhere() {
        return elsewhere;
    }

    /** The file has got the key's name. */
    void isInPlace() {
        elsewhere = null;
    }

    /** The file was left open, unless this is null. */
    void leftOpen(OpenFiles.Kept keptOrNull) {
        open = keptOrNull;
    }

    /** The key's file if it is open, now the caller's; else null. */
    DiskFile takeOpenFile() {
        return open == null ? null : open.take();
    }
}
