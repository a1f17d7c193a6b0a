package io.tallystick.tool.command;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** A command on the store in a directory. The directory tells the kind of store and its engine. */
public abstract class StoreCommand extends ToolCommand {
    @Parameters(index = "0", paramLabel = "DIRECTORY", description = "the store's directory (tallystick.directory)")
    private Path directory;

    /** For picocli. */
    protected StoreCommand() {}

    /** The directory as it was given. */
    protected final Path directory() {
        return directory;
    }

    /**
     * The store in the directory; nothing in it is created, changed or locked.
     *
     * @throws ToolException there is no store, or its kind is not known
     */
    protected final StoreAt find() throws IOException {
        return StoreAt.find(directory);
    }

    /**
     * Reads the store without opening it. It creates and changes nothing, and holds a lock only for a moment. Damage is
     * not an error here. Even the store's identity file may be damaged or missing.
     *
     * @throws ToolException there is no store, or its files are being exchanged
     * @throws io.tallystick.store.StoreException it cannot be read
     */
    protected final StoreInspection inspect() throws IOException {
        return inspect(directory);
    }

    /** As {@link #inspect()}. */
    static StoreInspection inspect(Path directory) throws IOException {
        Path found = place(directory);
        if (StoreDirectory.isBeingExchanged(StoreAccess.SYSTEM.disk(), found)) {
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    "directory=" + found
                            + ": the files of the store are being exchanged; if no other command is running"
                            + " there, a repair, a"
                            + " compaction or a restoration was cut off: 'tallystick repair --yes' finishes it");
        }
        return StoreAccess.SYSTEM.inspectorOf(found).inspect(found);
    }

    private static Path place(Path directory) throws IOException {
        try {
            return StoreAt.find(directory).directory();
        } catch (ToolException refused) {
            // A store that cannot be read, or is newer than this tool, stays refused. A lost or damaged identity is no
            // reason to refuse.
            if (refused.status() == ExitStatus.FAILED
                    || StoreAccess.SYSTEM.disk().kindOf(directory) != Disk.PathKind.DIRECTORY) {
                throw refused;
            }
            return directory.toRealPath();
        }
    }
}
