package io.tallystick.storage;

import io.tallystick.storage.PlaceNote.Verdict;
import io.tallystick.storage.StoreDirectory.Taker;
import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An opening's comparison of the place where its store was made with the place where it is. It refuses a copy to a
 * node, and it keeps the {@link PlaceNote}. No trouble with the note itself keeps a store from opening.
 */
final class PlaceCheck {
    // The logger of openings, which an operator may have configured already.
    private static final System.Logger LOG = System.getLogger(StoreDirectory.class.getName());
    private static final UUID NONE = new UUID(0, 0);

    private final Disk disk;
    private final Path directory;
    private final boolean isAdopters;
    private final PlaceNote here;
    private final Optional<PlaceNote> noted;
    private final Verdict verdict;
    // Why the note cannot be read; null if nothing is wrong with it.
    private final @Nullable IOException unreadable;

    private PlaceCheck(
            Disk disk,
            Path directory,
            boolean isAdopters,
            PlaceNote here,
            Optional<PlaceNote> noted,
            @Nullable IOException unreadable) {
        this.disk = disk;
        this.directory = directory;
        this.isAdopters = isAdopters;
        this.here = here;
        this.noted = noted;
        this.verdict =
                noted.map(there -> there.comparedWith(here, disk, directory)).orElse(Verdict.HOME);
        this.unreadable = unreadable;
    }

    /**
     * Compares. Changes nothing.
     *
     * @param directory links resolved
     * @param store the store in it; empty if none was made yet
     * @throws StoreDirectoryException it is a copy, and a node that is no adopter takes it
     */
    static PlaceCheck of(Disk disk, Path directory, Optional<StoreIdentity> store, Taker taker)
            throws StoreDirectoryException {
        PlaceNote here =
                PlaceNote.here(disk, directory, store.map(StoreIdentity::id).orElse(NONE));
        Optional<PlaceNote> noted = Optional.empty();
        IOException unreadable = null;
        if (store.isPresent()) {
            try {
                noted = PlaceNote.read(disk, directory, store.get().id());
            } catch (IOException damaged) {
                unreadable = damaged;
            }
        }
        PlaceCheck check = new PlaceCheck(disk, directory, taker.isAdopter(), here, noted, unreadable);
        if (check.verdict == Verdict.COPY && taker.nodeId().isPresent() && !taker.isAdopter()) {
            throw new StoreDirectoryException(
                    Reason.COPY, check.refusal(taker.nodeId().get()), null);
        }
        return check;
    }

    private String refusal(String node) {
        return copy() + ". The original may still run. Then two processes would judge the same transactions of node="
                + node + ", and one may roll back what the other commits. If the original lives, start the node there."
                + " If it has ended for good, run 'tallystick accept-copy " + directory + " --reason TEXT' and start"
                + " again. Another node id helps only if the databases and brokers are copies, too; see docs/place.md";
    }

    private String copy() {
        return "directory=" + directory + " holds a copy of a store: it was made at "
                + noted.orElseThrow().description() + ", and is now at " + here.description();
    }

    /** Warns of what an operator should know. By the owner of the lock. */
    void tell() {
        if (unreadable != null) {
            warn("TALLY0111 " + unreadable.getMessage() + "; so this opening cannot tell whether directory=" + directory
                    + " is a copy of a store whose original still runs. "
                    + (isNewers() ? "The note stays as it is" : "The note is written anew"));
        }
        if (verdict == Verdict.COPY) {
            warn("TALLY0108 " + copy() + ". The original may still run; then two processes have the same transactions. "
                    + (isAdopters
                            ? "An adopter may recover a copy if the node has ended for good; the node itself is refused"
                                    + " here"
                            : "With a tallystick.node-id this opening would be refused")
                    + ". 'tallystick accept-copy " + directory + " --reason TEXT' makes this place the store's home");
        }
        if (verdict == Verdict.UNCLEAR) {
            warn("TALLY0110 directory=" + directory + " was moved or copied, and this system does not tell which: the"
                    + " store was made at " + noted.orElseThrow().description() + ", and is now at "
                    + here.description() + ". If it is a copy, end the original for good before this process goes on");
        }
        if (verdict == Verdict.MOVED && isAdopters) {
            LOG.log(System.Logger.Level.INFO, moved() + "; an adopter leaves the note as it is");
        }
    }

    private String moved() {
        return "TALLY0109 directory=" + directory + " was moved, or its volume is attached elsewhere: the store was at "
                + noted.orElseThrow().description() + ", and is now at " + here.description();
    }

    /** Whether a newer library wrote the note. */
    private boolean isNewers() {
        return unreadable instanceof StoreDirectoryException refused && refused.reason() == Reason.FOREIGN;
    }

    /**
     * Keeps the note, for a store that has recovered. An adopter keeps none, so that the node itself may come back to
     * the place of the note. Throws nothing if the note cannot be written.
     */
    void note(UUID store) {
        boolean isKept = isAdopters || verdict == Verdict.COPY || isNewers();
        PlaceNote now = noted.map(here::completedBy).orElse(here).ofStore(store);
        if (isKept || noted.isPresent() && noted.get().isSamePlace(now)) {
            return;
        }
        try {
            now.write(disk, directory);
        } catch (IOException unwritten) {
            warn("TALLY0111 file=" + directory.resolve(PlaceNote.FILE_NAME) + " cannot be written: " + unwritten
                    + "; the store goes on, and a copy of this directory may not be noticed. Make room, or give this"
                    + " user its right to write there");
            return;
        }
        if (verdict == Verdict.MOVED) {
            LOG.log(System.Logger.Level.INFO, moved());
        }
    }

    private static void warn(String text) {
        LOG.log(System.Logger.Level.WARNING, text);
    }
}
