package io.tallystick.store.journal.inspect;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.journal.io.DirectoryFiles;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile.Role;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The inspector of journals of one engine: it looks at the directory before and after the engine reads it, and
 * translates the errors.
 */
public abstract class JournalInspector implements StoreInspector {
    private final Disk disk;
    private final String kind;
    private final String engine;

    /**
     * An inspector of directories on this disk.
     *
     * @param kind see {@link #kind}
     * @param engine the name of the engine in the configuration
     */
    protected JournalInspector(Disk disk, String kind, String engine) {
        this.disk = disk;
        this.kind = kind;
        this.engine = engine;
    }

    /** The files of an engine, as a reading has found them. */
    public interface Files {
        /** Size of each file, bytes; empty if no file tells. */
        Optional<Long> fileBytes();

        /** The role of a file; empty if it does not belong to the engine. */
        Optional<Role> roleOf(Path file);

        /** A remark on a file, for people to read; may be empty. */
        String remark(Path file);

        /** Where in the file a batch begins that is not whole and is ignored, bytes. */
        OptionalLong ignoredAt(Path file);
    }

    /** Whether the engine gives such names to its files. */
    protected abstract boolean isJournalFile(Path file);

    /** Reads a store that no other process has open. */
    protected abstract StoreInspection read(Disk disk, StoreGlance glance) throws IOException;

    /** Reads a store that another process has open. Refuses, unless the engine overrides this. */
    protected StoreInspection readInUse(Disk disk, StoreGlance glance) throws IOException {
        throw new StoreLockedException("directory=" + glance.path() + " is in use by "
                + glance.holder().orElse("") + ", and a store of kind " + kind
                + " cannot be read then; close that store");
    }

    /** The findings of a reading. */
    protected final StoreInspection found(
            StoreGlance glance,
            Optional<byte[]> storeId,
            Files files,
            Collection<RecordOnDisk> records,
            Collection<Damage> damages)
            throws IOException {
        List<Damage> all = damagesOf(glance);
        all.addAll(damages);
        return new StoreInspection(
                glance.path(),
                kind,
                storeId.map(StoreIdentity::idOf),
                glance.holder(),
                settings(glance, files.fileBytes()),
                DirectoryFiles.in(disk, glance.path(), files::roleOf, files::remark, files::ignoredAt),
                records,
                all);
    }

    @Override
    public final String kind() {
        return kind;
    }

    @Override
    public final boolean recognizes(Path directory) {
        try {
            Optional<StoreGlance> glance = StoreGlance.at(disk, directory);
            if (glance.isEmpty()) {
                return false;
            }
            Optional<StoreIdentity> identity = glance.get().identity();
            return identity.isPresent()
                    ? identity.get().kind().equals(kind)
                    : disk.list(glance.get().path()).stream().anyMatch(this::isJournalFile);
        } catch (IOException unreadable) {
            throw translated(directory, unreadable);
        }
    }

    @Override
    public final StoreInspection inspect(Path directory) {
        try {
            StoreGlance before = glanceAt(directory);
            if (before.holder().isPresent()) {
                return readInUse(disk, before);
            }
            StoreInspection found = readIdle(directory, before);
            StoreGlance after = glanceAt(directory);
            if (after.isUndisturbedSince(before)) {
                return found;
            }
            throw disturbed(before, after);
        } catch (IOException unreadable) {
            throw translated(directory, unreadable);
        }
    }

    @Override
    public final StoreInspection inspectOwned(Path directory) {
        try {
            return read(disk, glanceAt(directory));
        } catch (IOException unreadable) {
            throw translated(directory, unreadable);
        }
    }

    private StoreInspection readIdle(Path directory, StoreGlance before) throws IOException {
        try {
            return read(disk, before);
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
    private static List<Damage> damagesOf(StoreGlance glance) {
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

    /** The configuration that opens such a store, without the directory. */
    private Map<String, String> settings(StoreGlance glance, Optional<Long> fileBytes) {
        Map<String, String> settings = new HashMap<>();
        settings.put(StoreOption.STORE.key(), "journal");
        settings.put(StoreOption.JOURNAL_ENGINE.key(), engine);
        fileBytes.ifPresent(bytes -> settings.put(StoreOption.JOURNAL_SEGMENT_SIZE.key(), bytes + "B"));
        glance.nodeId().ifPresent(node -> settings.put(StoreOption.NODE_ID.key(), node));
        return settings;
    }
}
