package com.example.notebook;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.InspectedFile.Role;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Looks into notebooks that no process has open, so that the tool can list and verify them. */
public final class NotebookInspector implements StoreInspector {
    private final Disk disk = new SystemDisk();

    /** For ServiceLoader. */
    public NotebookInspector() {}

    private record Found(Path file, NotebookFile.Line line) implements InspectedRecord {
        @Override
        public StateKey key() {
            return line.key();
        }

        @Override
        public StateStatus status() {
            return line.image().status();
        }

        @Override
        public long offset() {
            return line.position();
        }

        @Override
        public long bytes() {
            return line.image().bytes();
        }

        @Override
        public StateImage image() {
            return line.image();
        }
    }

    @Override
    public String kind() {
        return NotebookStore.KIND;
    }

    @Override
    public boolean recognizes(Path directory) {
        try {
            return StoreGlance.at(disk, directory)
                    .flatMap(StoreGlance::identity)
                    .filter(identity -> identity.kind().equals(kind()))
                    .isPresent();
        } catch (IOException unreadable) {
            throw unreadable(directory, unreadable);
        }
    }

    @Override
    public StoreInspection inspect(Path directory) {
        StoreGlance glance = glanceAt(directory);
        if (glance.holder().isPresent()) {
            throw new StoreLockedException(
                    "directory=" + glance.path() + " is in use by " + glance.holder().get() + "; close that store");
        }
        return inspectOwned(directory);
    }

    @Override
    public StoreInspection inspectOwned(Path directory) {
        StoreGlance glance = glanceAt(directory);
        try {
            Path path = glance.path().resolve(NotebookFile.NAME);
            Map<StateKey, Found> records = new LinkedHashMap<>();
            List<InspectedFile> files = new ArrayList<>();
            OptionalLong ignoredAt = OptionalLong.empty();
            List<Damage> damages = new ArrayList<>();
            if (disk.kindOf(path) == Disk.PathKind.MISSING) {
                if (disk.kindOf(glance.path().resolve(NotebookFile.READY)) != Disk.PathKind.MISSING) {
                    damages.add(Damage.of(path, 0, Damage.Kind.MISSING, "it was there"));
                }
            } else {
                NotebookFile.Reading reading = NotebookFile.read(disk, path);
                for (NotebookFile.Line line : reading.lines()) {
                    records.remove(line.key());
                    if (!line.image().isAbsent()) {
                        records.put(line.key(), new Found(path, line));
                    }
                }
                if (reading.end() < reading.size()) {
                    ignoredAt = OptionalLong.of(reading.end());
                }
            }
            for (Path each : disk.list(glance.path())) {
                files.add(
                        each.equals(path)
                                ? new InspectedFile(each, Role.DATA, disk.size(each), "", ignoredAt)
                                : new InspectedFile(each, Role.HINT, disk.size(each), ""));
            }
            return new StoreInspection(
                    glance.path(),
                    kind(),
                    glance.identity().map(StoreIdentity::id),
                    glance.holder(),
                    Map.of(StoreOption.STORE.key(), "notebook"),
                    files,
                    records.values(),
                    damages);
        } catch (IOException unreadable) {
            throw unreadable(directory, unreadable);
        }
    }

    private StoreGlance glanceAt(Path directory) {
        try {
            Optional<StoreGlance> glance = StoreGlance.at(disk, directory);
            return glance.orElseThrow(() -> new UnsupportedFormatException("directory=" + directory + " is not there"));
        } catch (IOException unreadable) {
            throw unreadable(directory, unreadable);
        }
    }

    private static StoreIoException unreadable(Path directory, IOException why) {
        return new StoreIoException("directory=" + directory + " cannot be read: " + why.getMessage(), why);
    }
}
