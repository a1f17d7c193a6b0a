package io.tallystick.testkit;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import java.nio.file.Path;

/** Opens the store that a sweep tests, on a disk of the sweep. */
@FunctionalInterface
public interface StoreOpener {
    /**
     * Opens the store, new or recovered.
     *
     * @throws io.tallystick.store.StoreException it cannot be opened
     */
    ObjectStore open(Disk disk, Path directory);
}
