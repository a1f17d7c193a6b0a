package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * A native way to the disk, found by {@link ServiceLoader}: the same files, the same format, other system calls. A
 * device keeps every promise of {@link Disk} and {@link DiskFile}.
 */
public interface DiskDevice {
    /**
     * The beginning of the name of the small file of {@link #unavailableBecause}. A process that dies meanwhile leaves
     * it behind; the owner of the directory may delete it.
     */
    String PROBE_PREFIX = "tallystick-probe-";

    /** The value of {@code tallystick.journal.io} that selects it, such as {@code aio}. */
    String name();

    /**
     * Why this device does not work in this directory; empty if it works. Finds out by writing and deleting one small
     * file there. Never throws for a missing library or system call.
     */
    Optional<String> unavailableBecause(Path directory);

    /**
     * Why this device works in no directory of this process; empty if only a trial in a directory can tell. Asked
     * before a store's directory is made.
     */
    default Optional<String> unavailableAnywhereBecause() {
        return Optional.empty();
    }

    /**
     * Why a trial must not choose this device although it may work: using it affects the rest of the process. Empty if
     * it does not. A device that is configured by its name is used nevertheless.
     */
    default Optional<String> onlyByNameBecause() {
        return Optional.empty();
    }

    /** A disk whose files in mode {@link OpenMode#DIRECT_SYNC} use this device, and everything else {@code disk}. */
    Disk over(Disk disk) throws IOException;

    /** The devices on the class path. */
    static List<DiskDevice> all() {
        return ServiceLoader.load(DiskDevice.class, DiskDevice.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /** The device of this name. */
    static Optional<DiskDevice> named(String name) {
        return all().stream().filter(device -> device.name().equals(name)).findFirst();
    }
}
