package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.file.format.FileNames;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Looks into the directories of file stores. It does not read a directory in use, because the files change under the
 * reader.
 */
public final class FileStoreInspector implements StoreInspector {
    private final Disk disk;

    /** For {@link java.util.ServiceLoader}. */
    public FileStoreInspector() {
        this(new SystemDisk());
    }

    /** An inspector of directories on this disk. */
    public FileStoreInspector(Disk disk) {
        this.disk = disk;
    }

    @Override
    public String kind() {
        return FileStore.KIND;
    }

    @Override
    public boolean recognizes(Path directory) {
        try {
            Optional<StoreGlance> glance = StoreGlance.at(disk, directory);
            if (glance.isEmpty()) {
                return false;
            }
            Optional<StoreIdentity> identity = glance.get().identity();
            return identity.isPresent()
                    ? identity.get().kind().equals(FileStore.KIND)
                    : disk.kindOf(glance.get().path().resolve(FileNames.ROOT)) == Disk.PathKind.DIRECTORY;
        } catch (StoreDirectoryException newer) {
            throw new UnsupportedFormatException(newer.getMessage(), newer);
        } catch (IOException unreadable) {
            throw unreadable(directory, unreadable);
        }
    }

    @Override
    public StoreInspection inspect(Path directory) {
        try {
            StoreGlance before = glanceAt(directory);
            if (before.holder().isPresent()) {
                throw new StoreLockedException("directory=" + before.path() + " is in use by "
                        + before.holder().get() + ", and a file store cannot be read then; close that store");
            }
            StoreInspection found = new StatesReading(disk, before).inspection();
            StoreGlance after = glanceAt(directory);
            if (!after.isUndisturbedSince(before)) {
                throw new StoreLockedException("directory=" + before.path() + " was taken while it was read, by "
                        + after.lastOwner() + "; close that store");
            }
            return found;
        } catch (StoreDirectoryException newer) {
            throw new UnsupportedFormatException(newer.getMessage(), newer);
        } catch (IOException unreadable) {
            throw unreadable(directory, unreadable);
        }
    }

    @Override
    public StoreInspection inspectOwned(Path directory) {
        try {
            return new StatesReading(disk, glanceAt(directory)).inspection();
        } catch (StoreDirectoryException newer) {
            throw new UnsupportedFormatException(newer.getMessage(), newer);
        } catch (IOException unreadable) {
            throw unreadable(directory, unreadable);
        }
    }

    private StoreGlance glanceAt(Path directory) throws IOException {
        return StoreGlance.at(disk, directory)
                .orElseThrow(() -> new UnsupportedFormatException(
                        "directory=" + directory.toAbsolutePath() + " is not there; name a store's directory"));
    }

    private static StoreIoException unreadable(Path directory, IOException cause) {
        return new StoreIoException(
                "directory=" + directory.toAbsolutePath() + " cannot be read: " + cause.getMessage()
                        + "; check that it is a store's directory and that this user may read it",
                cause);
    }
}
