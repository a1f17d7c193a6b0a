package io.tallystick.store.file;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file with the whole content of a state, which has no key's name yet. It stays open until it is forced: the system
 * may report an error of writing only to a process that has the file open.
 */
final class WrittenFile {
    private final Path path;
    private final DiskFile file;
    private final boolean canBecomeSpare;
    private final StoredState stored;
    private final StoreContext context;

    /**
     * A file that is open to be written.
     *
     * @param canBecomeSpare whether it has the size of a spare file
     * @param stored the state of its key once the file is written
     */
    WrittenFile(Path path, DiskFile file, boolean canBecomeSpare, StoredState stored, StoreContext context) {
        this.path = path;
        this.file = file;
        this.canBecomeSpare = canBecomeSpare;
        this.stored = stored;
        this.context = context;
    }

    /** The place of the file until it gets a key's name. */
    Path path() {
        return path;
    }

    /** The file, open to be written. */
    DiskFile file() {
        return file;
    }

    /** The state of the file's key; readers find it at {@link #path} until the file has the key's name. */
    StoredState stored() {
        return stored;
    }

    /** Brings the content to disk. Returns the file if it stays open, else null. */
    OpenFiles.@Nullable Kept force() throws IOException {
        long begun = context.clock().nanoTime();
        StoreEvents.Force force = context.statistics().events().beginForce();
        file.force();
        force.succeeded(0, 0);
        context.statistics().forcedBetween(0, begun, context.clock().nanoTime());
        if (canBecomeSpare) {
            return context.openFiles().keep(file);
        }
        file.close();
        return null;
    }

    /** Closes the file, whose content is of no use any more. */
    void abandon() {
        OpenFiles.close(file);
    }
}
