package io.tallystick.store.journal.inspect;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The common part of all engines' inspections: they look at the owner before and after, and translate failures. */
public final class JournalInspection {
    private final Disk disk;
    private final String kind;

    /** Inspections of journals of one kind on this disk. */
    public JournalInspection(Disk disk, String kind) {
        this.disk = disk;
        this.kind = kind;
    }

    /** Looks for files of the engine. */
    public interface Traces {
        /** Whether the directory has any. */
        boolean areIn(Path directory) throws IOException;
    }

    /** Reads a store. */
    public interface Reader {
        /** Reads the store in the directory of the glance. */
        StoreInspection read(StoreGlance glance) throws IOException;
    }

    /** As {@link io.tallystick.store.spi.StoreInspector#recognizes}. */
    public boolean recognizes(Path directory, Traces traces) {
        try {
            Optional<StoreGlance> glance = StoreGlance.at(disk, directory);
            if (glance.isEmpty()) {
                return false;
            }
            Optional<StoreIdentity> identity = glance.get().identity();
            return identity.isPresent()
                    ? identity.get().kind().equals(kind)
                    : traces.areIn(glance.get().path());
        } catch (IOException unreadable) {
            throw translated(directory, unreadable);
        }
    }

    /**
     * As {@link io.tallystick.store.spi.StoreInspector#inspect}.
     *
     * @param whenIdle reads a store that no process has open
     * @param whenInUse reads a store that a process has open; empty if the engine cannot
     */
    public StoreInspection inspect(Path directory, Reader whenIdle, Optional<Reader> whenInUse) {
        try {
            StoreGlance before = glanceAt(directory);
            if (before.holder().isPresent()) {
                return whenInUse
                        .orElseThrow(() -> new StoreLockedException("directory=" + before.path() + " is in use by "
                                + before.holder().get() + ", and a store of kind " + kind
                                + " cannot be read then; close that store"))
                        .read(before);
            }
            StoreInspection found = readIdle(directory, before, whenIdle);
            StoreGlance after = glanceAt(directory);
            if (after.isUndisturbedSince(before)) {
                return found;
            }
            throw disturbed(before, after);
        } catch (IOException unreadable) {
            throw translated(directory, unreadable);
        }
    }

    /** As {@link io.tallystick.store.spi.StoreInspector#inspectOwned}. */
    public StoreInspection inspectOwned(Path directory, Reader reader) {
        try {
            return reader.read(glanceAt(directory));
        } catch (IOException unreadable) {
            throw translated(directory, unreadable);
        }
    }

    private StoreInspection readIdle(Path directory, StoreGlance before, Reader whenIdle) throws IOException {
        try {
            return whenIdle.read(before);
        } catch (IOException trouble) {
            StoreGlance after = glanceAt(directory);
            throw after.isUndisturbedSince(before) ? trouble : new IOException(disturbed(before, after));
        }
    }

    private static StoreLockedException disturbed(StoreGlance before, StoreGlance after) {
        return new StoreLockedException("directory=" + before.path() + " was taken while it was read, by "
                + after.lastOwner() + "; try again, or close that store");
    }

    private StoreGlance glanceAt(Path directory) throws IOException {
        return StoreGlance.at(disk, directory)
                .orElseThrow(() -> new UnsupportedFormatException(
                        "directory=" + directory.toAbsolutePath() + " is not there; name a store's directory"));
    }

    private static RuntimeException translated(Path directory, IOException unreadable) {
        if (unreadable instanceof StoreDirectoryException newer) {
            return new UnsupportedFormatException(newer.getMessage(), newer);
        }
        if (unreadable.getCause() instanceof StoreLockedException disturbed) {
            return disturbed;
        }
        return new StoreIoException(
                "directory=" + directory.toAbsolutePath() + " cannot be read: " + unreadable.getMessage()
                        + "; check that it is a store's directory and that this user may read it",
                unreadable);
    }

    /** The damage to the files that hold the store's identity and its node. */
    public static List<Damage> damagesOf(StoreGlance glance) {
        List<Damage> damages = new ArrayList<>();
        for (StoreDirectoryException damage : glance.damages()) {
            damages.add(Damage.of(
                    damage.damagedFile().orElse(glance.path()),
                    0,
                    Damage.Kind.IDENTITY,
                    "the store's identity or node in it is damaged"));
        }
        if (glance.identity().isEmpty() && damages.isEmpty()) {
            damages.add(Damage.of(
                    glance.path().resolve(StoreIdentity.FILE_NAME), 0, Damage.Kind.IDENTITY, "it is missing"));
        }
        return damages;
    }

    /**
     * The configuration that opens such a store, without the directory.
     *
     * @param fileBytes size of its files; empty if no file tells
     */
    public static Map<String, String> settings(String engine, StoreGlance glance, Optional<Long> fileBytes) {
        Map<String, String> settings = new HashMap<>();
        settings.put(StoreOption.STORE.key(), "journal");
        settings.put(StoreOption.JOURNAL_ENGINE.key(), engine);
        fileBytes.ifPresent(bytes -> settings.put(StoreOption.JOURNAL_SEGMENT_SIZE.key(), bytes + "B"));
        glance.nodeId().ifPresent(node -> settings.put(StoreOption.NODE_ID.key(), node));
        return settings;
    }

    /** The id that 16 bytes stand for. */
    public static UUID uuid(byte[] id) {
        ByteBuffer bytes = ByteBuffer.wrap(id);
        return new UUID(bytes.getLong(), bytes.getLong());
    }
}
