package io.tallystick.tool;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.journal.io.RememberedIo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The way to the disk that the journal in a directory remembers.
 *
 * @param directory of the journal
 */
record RememberedWay(Path directory) {
    /** The way, in words; empty if none is remembered. */
    Optional<String> description() throws IOException {
        return RememberedIo.in(directory, new SystemDisk())
                .map(known -> known.name() + ", " + known.micros() + " us a write in its trial");
    }

    /**
     * Forgets the way under the lock of the directory, and makes no file there.
     *
     * @return false if the store is in use; then nothing was changed
     */
    boolean forget() throws IOException {
        Disk disk = new SystemDisk();
        Path real = disk.realPath(directory);
        Path lockFile = real.resolve(StoreDirectory.LOCK_FILE);
        if (disk.kindOf(lockFile) == Disk.PathKind.MISSING) {
            RememberedIo.forget(real, disk); // no process has opened this store since its files were put here
            return true;
        }
        Optional<DiskLock> lock = disk.tryLock(lockFile);
        if (lock.isEmpty()) {
            return false;
        }
        try {
            RememberedIo.forget(real, disk);
        } finally {
            lock.get().close();
        }
        return true;
    }
}
