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

    /** A property of a subject that stages depend on. */
    enum Trait {
        /** Acknowledged states survive the process. */
        DURABLE,
        /** It reaches all its files through the {@link Disk} that it is given, so that disks can be simulated. */
        ANY_DISK,
        /** It has shadows and hidden states, besides forced writes, reads and removals. */
        WHOLE_CONTRACT,
        /** It has deferred operations and {@code force}. */
        DEFERS
    }

    /** The name for the option {@code --subject}. */
    String name();

    Family family();

    Set<Trait> traits();

    default boolean is(Trait trait) {
        return traits().contains(trait);
    }

    default boolean isOurs() {
        return family() == Family.OURS;
    }

    /** Why it does not work in this existing directory; empty if it does. */
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
