package io.tallystick.tool.command;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspector;
import io.tallystick.store.spi.StoreInspectors;
import java.io.IOException;
import java.nio.file.Path;

/** The access of commands to a store's files: the disk, the stores, and the inspectors. */
public interface StoreAccess {
    /** The access of a user. */
    StoreAccess SYSTEM = new StoreAccess() {
        @Override
        public Disk disk() {
            return new SystemDisk();
        }

        @Override
        public ObjectStore open(StoreConfiguration configuration) {
            return ObjectStores.open(configuration);
        }

        @Override
        public StoreInspector inspectorOf(Path directory) throws IOException {
            for (StoreInspector inspector : StoreInspectors.all()) {
                if (inspector.recognizes(directory)) {
                    return inspector;
                }
            }
            StoreAt unknown = StoreAt.find(directory); // throws the exception that names the problem
            throw new ToolException(
                    ExitStatus.FAILED,
                    "directory=" + unknown.directory() + " holds a store of kind "
                            + unknown.identity().kind()
                            + ", which this command cannot read; if it is of another store or"
                            + " engine, name its jar: tallystick --class-path JARS COMMAND");
        }
    };

    /** The disk of all files. */
    Disk disk();

    /** Opens a store as its owner would. */
    ObjectStore open(StoreConfiguration configuration);

    /**
     * The inspector for the store in the directory.
     *
     * @throws ToolException there is no store, or none of its kind can be inspected
     */
    StoreInspector inspectorOf(Path directory) throws IOException;

    /**
     * Checks that the directory holds a store, or a store whose files were being exchanged.
     *
     * @throws ToolException it does not
     */
    default void checkStore(Path directory) throws IOException {
        StoreAt.checkNoLink(disk(), directory.toAbsolutePath().normalize());
        if (!StoreDirectory.isBeingExchanged(disk(), directory)) {
            inspectorOf(directory);
        }
    }

    /** Reads a store that this process has locked. */
    default StoreInspection inspectOwned(Path directory) throws IOException {
        return inspectorOf(directory).inspectOwned(directory);
    }
}
