package io.tallystick.tool.command;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreIdentity;
import java.io.IOException;
import java.nio.file.Path;

/** The place of a store, a backup or a file that a command is to make. */
public final class NewPlace {
    private NewPlace() {}

    /**
     * Refuses a place below the directory of a store: that store would take the new files for damage, and {@code
     * compact} and {@code repair} would take them along.
     *
     * @throws ToolException there is a store in a directory above it; nothing was changed
     */
    public static void checkOutsideStores(Disk disk, Path target) throws IOException {
        for (Path at = BackupPlace.real(disk, target).getParent(); at != null; at = at.getParent()) {
            if (disk.kindOf(at.resolve(StoreIdentity.FILE_NAME)) == Disk.PathKind.FILE
                    || StoreDirectory.isBeingExchanged(disk, at)) {
                throw new ToolException(
                        ExitStatus.REFUSED,
                        target.toAbsolutePath().normalize() + " lies in directory=" + at
                                + ", which is a Tallystick store and takes no other files; nothing was changed. Give a"
                                + " place beside it");
            }
        }
    }
}
