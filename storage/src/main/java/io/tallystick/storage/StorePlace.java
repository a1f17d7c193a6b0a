package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** The place where a store was made, for tools; docs/place.md describes it. */
public final class StorePlace {
    private StorePlace() {}

    /**
     * The remark that a store is not where it was made, or that the note of its place cannot be read; empty if there is
     * nothing to say. Reads, and changes nothing.
     *
     * @param directory of the store, links resolved
     */
    public static Optional<String> remarkOn(Disk disk, Path directory, StoreIdentity store) {
        try {
            PlaceNote here = PlaceNote.here(disk, directory, store.id());
            return PlaceNote.read(disk, directory, store.id())
                    .flatMap(noted -> switch (noted.comparedWith(here, disk, directory)) {
                        case HOME -> Optional.empty();
                        case MOVED -> Optional.of("moved: the store was made at " + noted.description());
                        case COPY -> Optional.of("a copy: the store was made at " + noted.description());
                        case UNCLEAR -> Optional.of("moved or copied: the store was made at " + noted.description());
                    });
        } catch (IOException unreadable) {
            return Optional.of("unknown: " + unreadable.getMessage());
        }
    }

    /** The reason for which this copy was accepted; empty if none was, or if the note cannot be read. */
    public static Optional<String> acceptedBecause(Disk disk, Path directory, StoreIdentity store) {
        try {
            return PlaceNote.read(disk, directory, store.id())
                    .map(PlaceNote::reason)
                    .filter(reason -> !reason.isEmpty());
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /**
     * Makes this place the home of the store; on disk when the call returns. By the owner of the directory's lock.
     *
     * @param directory of the store, links resolved
     * @param reason of the operator, to be kept in the note
     */
    public static void accept(Disk disk, Path directory, StoreIdentity store, String reason) throws IOException {
        PlaceNote here = PlaceNote.here(disk, directory, store.id());
        here.acceptedBecause(reason).write(disk, directory);
    }

    /**
     * Gives a store that was made in another directory the place of this directory, to which its files will be moved:
     * the place in the note there, so that a copy stays one, or else the place as it is now. By the owner of the lock.
     *
     * @param directory where the files will be
     * @param made where they are
     */
    public static void carryTo(Disk disk, Path directory, Path made) throws IOException {
        Optional<StoreIdentity> store = identity(disk, made);
        if (store.isEmpty()) {
            forget(disk, made); // the next opener writes it anew
            return;
        }
        Path real = disk.realPath(directory);
        noted(disk, real)
                .orElseGet(() -> PlaceNote.here(disk, real, store.get().id()))
                .ofStore(store.get().id())
                .write(disk, made);
    }

    private static Optional<StoreIdentity> identity(Disk disk, Path made) throws IOException {
        try {
            return StoreIdentity.read(disk, made);
        } catch (StoreDirectoryException damaged) {
            return Optional.empty();
        }
    }

    private static Optional<PlaceNote> noted(Disk disk, Path directory) throws IOException {
        try {
            return PlaceNote.read(disk, directory);
        } catch (IOException unreadable) { // a repair must not need the note
            return Optional.empty();
        }
    }

    /** Deletes the note of a closed store, so that the next opener writes it. Not forced. */
    public static void forget(Disk disk, Path directory) throws IOException {
        try {
            disk.delete(directory.resolve(PlaceNote.FILE_NAME));
        } catch (NoSuchFileException none) {
            // a store of an earlier version
        }
    }
}
