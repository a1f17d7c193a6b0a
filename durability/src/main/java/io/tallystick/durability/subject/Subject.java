package io.tallystick.durability.subject;

import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** A store in one configuration, as the stages name it. */
public interface Subject {
    /** Whose store it is. */
    enum Family {
        /** Of this library: no violation is acceptable. */
        OURS,
        /** Of Narayana: known to be bad, so that a stage that finds nothing is not good enough. */
        PEER
    }

    /** What a subject can do or be used for. */
    enum Trait {
        /** What it acknowledged survives the process. */
        DURABLE,
        /** All its files are reached through a {@link Disk} that is handed to it, so that disks can be simulated. */
        ANY_DISK,
        /** Shadows and hidden states too, and not only forced writes, reads and removals. */
        WHOLE_CONTRACT,
        /** Deferred operations, and {@code force}. */
        DEFERS
    }

    /** What {@code --subject} calls it. */
    String name();

    Family family();

    Set<Trait> traits();

    default boolean is(Trait trait) {
        return traits().contains(trait);
    }

    default boolean isOurs() {
        return family() == Family.OURS;
    }

    /** Why it does not work in this directory, which exists; empty if it does. */
    Optional<String> unavailableBecause(Path directory);

    /** Opens it in a directory on the system's disk, with files small enough to be made anew for each case. */
    ObjectStore open(Path directory);

    /**
     * Opens it in a directory on that disk.
     *
     * @throws UnsupportedOperationException it is not {@link Trait#ANY_DISK}
     */
    ObjectStore open(Disk disk, Path directory);

    /** Opens it in a directory on the system's disk as Narayana sees it. */
    default ObjectStoreAPI openForNarayana(Path directory) {
        return new TallystickObjectStore(open(directory));
    }
}
