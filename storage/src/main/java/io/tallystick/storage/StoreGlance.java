package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A look at a store's directory without taking it. Nothing is locked for longer than the look, and nothing is changed.
 *
 * @param path the directory, links resolved
 * @param identity the store's kind and id; empty if their file is missing or damaged
 * @param nodeId the node that the store belongs to; empty if its file is missing or damaged
 * @param damages the reasons why {@code identity} or {@code nodeId} cannot be read
 * @param holder the owner that has the directory in use, for people; empty if it has none
 * @param lastOwner the note of the last owner
 */
public record StoreGlance(
        Path path,
        Optional<StoreIdentity> identity,
        Optional<String> nodeId,
        List<StoreDirectoryException> damages,
        Optional<String> holder,
        String lastOwner) {

    public StoreGlance {
        Objects.requireNonNull(path);
        Objects.requireNonNull(identity);
        Objects.requireNonNull(nodeId);
        damages = List.copyOf(damages);
        Objects.requireNonNull(holder);
        Objects.requireNonNull(lastOwner);
    }

    /**
     * Looks at the directory; empty if there is none.
     *
     * @throws StoreDirectoryException its files have a newer format than this library reads
     */
    public static Optional<StoreGlance> at(Disk disk, Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        if (disk.kindOf(absolute) == Disk.PathKind.MISSING) {
            return Optional.empty();
        }
        Path path = disk.realPath(absolute);
        if (disk.kindOf(path) != Disk.PathKind.DIRECTORY) {
            return Optional.empty();
        }
        List<StoreDirectoryException> damages = new ArrayList<>();
        Optional<StoreIdentity> identity = readable(() -> StoreIdentity.read(disk, path), damages);
        Optional<String> nodeId = identity.isEmpty()
                ? Optional.empty()
                : readable(() -> NodeBinding.read(disk, path, identity.get().id()), damages);
        // The note first. An owner that takes the directory later has the lock below, or leaves another note for the
        // next glance.
        String lastOwner = StoreDirectory.owner(disk, path);
        boolean isHeld = disk.isLocked(path.resolve(StoreDirectory.LOCK_FILE));
        return Optional.of(new StoreGlance(
                path,
                identity,
                nodeId,
                damages,
                isHeld ? Optional.of(StoreDirectory.owner(disk, path)) : Optional.empty(),
                lastOwner));
    }

    /** Reads a small file. */
    private interface Reader<T> {
        Optional<T> read() throws IOException;
    }

    private static <T> Optional<T> readable(Reader<T> reader, List<StoreDirectoryException> damages)
            throws IOException {
        try {
            return reader.read();
        } catch (StoreDirectoryException unreadable) {
            if (unreadable.reason() != StoreDirectoryException.Reason.CORRUPT) {
                throw unreadable;
            }
            damages.add(unreadable);
            return Optional.empty();
        }
    }

    /** Whether the directory had no owner from the earlier glance until this one. */
    public boolean isUndisturbedSince(StoreGlance earlier) {
        return earlier.holder.isEmpty() && holder.isEmpty() && lastOwner.equals(earlier.lastOwner);
    }
}
