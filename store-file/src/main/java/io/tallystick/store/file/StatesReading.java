package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.LossMark;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.file.format.FileNames;
import io.tallystick.store.file.format.StateFileFormat;
import io.tallystick.store.file.format.StateFileReader;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.InspectedFile.Role;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a directory as recovery does, file by file, and goes on behind each that recovery would refuse. */
final class StatesReading implements StatesTree.Visitor {
    private final Disk disk;
    private final StoreGlance glance;
    private final Path root;
    private final List<Damage> damages = new ArrayList<>();
    private final List<InspectedFile> files = new ArrayList<>();
    private final Map<StateKey, StateOnDisk> records = new HashMap<>();
    private final List<StateOnDisk> misplaced = new ArrayList<>();
    private byte @Nullable [] store;

    StatesReading(Disk disk, StoreGlance glance) {
        this.disk = disk;
        this.glance = glance;
        this.root = glance.path().resolve(FileNames.ROOT);
        this.store = glance.identity().map(StoreIdentity::idBytes).orElse(null);
    }

    StoreInspection inspection() throws IOException {
        damages.addAll(damagesOf(glance));
        for (Path path : disk.list(glance.path()).stream().sorted().toList()) {
            lookAt(path);
        }
        for (StateOnDisk found : misplaced) {
            records.putIfAbsent(found.key(), found); // a file in its place counts before a misplaced one
        }
        return new StoreInspection(
                glance.path(),
                FileStore.KIND,
                Optional.ofNullable(store).map(StoreIdentity::idOf),
                Optional.empty(),
                settings(),
                files,
                records.values(),
                damages);
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        settings.put(StoreOption.STORE.key(), FileStore.NAME);
        glance.nodeId().ifPresent(node -> settings.put(StoreOption.NODE_ID.key(), node));
        return settings;
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

    private void lookAt(Path path) throws IOException {
        if (!path.equals(root)) {
            add(path, roleOf(path));
        } else if (disk.kindOf(root) == Disk.PathKind.DIRECTORY) {
            if (store == null) {
                new StatesTree(disk, root).walk(new StoreIdVote());
            }
            new StatesTree(disk, root).walk(this);
        } else {
            stranger(root, "is not a directory");
        }
    }

    private static Role roleOf(Path path) {
        return switch (path.getFileName().toString()) {
            case StoreIdentity.FILE_NAME -> Role.IDENTITY;
            case StoreDirectory.LOCK_FILE -> Role.LOCK;
            case StoreDirectory.OWNER_FILE -> Role.OWNER;
            case StoreDirectory.QUARANTINE_DIRECTORY -> Role.QUARANTINE;
            case StoreDirectory.NODE_FILE -> Role.IDENTITY;
            case StoreDirectory.PLACE_FILE -> Role.HINT;
            case LossMark.FILE_NAME, LossMark.ACCEPTED_FILE_NAME -> Role.LOSS;
            default -> StoreDirectory.isOwnFile(path) ? Role.LEFTOVER : Role.STRANGER;
        };
    }

    private void add(Path path, Role role) throws IOException {
        switch (disk.kindOf(path)) {
            case FILE -> files.add(new InspectedFile(path, role, disk.size(path), ""));
            case DIRECTORY -> {
                for (Path below : disk.list(path).stream().sorted().toList()) {
                    add(below, role);
                }
            }
            case MISSING -> {
                // deleted since it was listed
            }
            default -> files.add(new InspectedFile(path, Role.STRANGER, 0, "not a regular file"));
        }
    }

    @Override
    public void directory(Path path) {
        // a directory holds no state
    }

    @Override
    public void state(Path path) throws IOException {
        files.add(new InspectedFile(path, Role.DATA, disk.size(path), ""));
        if (store == null) {
            return;
        }
        Optional<StateKey> place = keyOfPlace(path);
        try {
            StateFileReader.Content content = new StateFileReader(path, store).read(disk);
            StateOnDisk found = new StateOnDisk(disk, store, path, content.key(), content.image());
            if (place.filter(content.key()::equals).isPresent()) {
                records.put(content.key(), found);
            } else {
                CorruptStoreException misplacement = StateFiles.misplaced(path, content.key());
                damages.add(new Damage(
                        path,
                        misplacement.offset(),
                        Damage.Kind.MISPLACED,
                        Optional.of(content.key()),
                        misplacement.reason()));
                misplaced.add(found);
            }
        } catch (CorruptStoreException bad) {
            damages.add(new Damage(path, bad.offset(), Damage.Kind.RECORD, place, bad.reason()));
        } catch (UnsupportedFormatException newer) {
            damages.add(new Damage(
                    path, StateFileFormat.VERSION_OFFSET, Damage.Kind.NEWER, place, "it has a newer format version"));
        } catch (IOException unreadable) {
            damages.add(new Damage(
                    path, 0, Damage.Kind.UNREADABLE, place, "it cannot be read: " + unreadable.getMessage()));
        }
    }

    /** The key whose state stands at this path. */
    private Optional<StateKey> keyOfPlace(Path path) {
        List<String> directories = new ArrayList<>();
        for (Path name : root.relativize(path.getParent())) {
            directories.add(name.toString());
        }
        Optional<ObjectId> id = FileNames.idOf(path.getFileName().toString());
        return FileNames.typeOf(directories).flatMap(type -> id.map(known -> StateKey.of(type, known)));
    }

    @Override
    public void spare(Path path) throws IOException {
        files.add(new InspectedFile(path, Role.SPARE, disk.size(path), ""));
    }

    @Override
    public void stranger(Path path, String what) throws IOException {
        damages.add(Damage.of(path, 0, Damage.Kind.STRANGER, "this " + what));
        add(path, Role.STRANGER);
    }

    /** Finds the store id that most state files name, where the identity file is missing or damaged. */
    private final class StoreIdVote implements StatesTree.Visitor {
        private final Map<ByteBuffer, Integer> votes = new HashMap<>();

        @Override
        public void directory(Path path) {
            // has no vote
        }

        @Override
        public void state(Path path) {
            try (DiskFile file = disk.open(path, OpenMode.READ)) {
                ByteBuffer header = ByteBuffer.allocate(StateFileFormat.HEADER_BYTES);
                file.readFully(header, 0);
                byte[] bytes = header.array();
                int expected = header.order(ByteOrder.LITTLE_ENDIAN).getInt(StateFileFormat.HEADER_CHECKSUM_OFFSET);
                if (StateFileFormat.checksum(bytes, 0, StateFileFormat.HEADER_CHECKSUM_OFFSET) == expected) {
                    byte[] id = new byte[StateFileFormat.STORE_BYTES];
                    header.get(StateFileFormat.STORE_OFFSET, id);
                    int count = votes.merge(ByteBuffer.wrap(id), 1, Integer::sum);
                    Integer most = store == null ? null : votes.get(ByteBuffer.wrap(store));
                    if (most == null || count > most) {
                        store = id;
                    }
                }
            } catch (IOException unreadable) {
                // reported when its state is read
            }
        }

        @Override
        public void spare(Path path) {
            // has no vote
        }

        @Override
        public void stranger(Path path, String what) {
            // has no vote
        }
    }

    /** A state file that is whole. */
    private record StateOnDisk(Disk disk, byte[] store, Path file, StateKey key, StateStatus status, long bytes)
            implements InspectedRecord {
        StateOnDisk(Disk disk, byte[] store, Path file, StateKey key, StateImage image) {
            this(disk, store, file, key, image.status(), image.bytes());
        }

        @Override
        public long offset() {
            return 0;
        }

        @Override
        public StateImage image() {
            try {
                StateFileReader.Content content = new StateFileReader(file, store).read(disk);
                if (!content.key().equals(key)) {
                    throw StateFiles.misplaced(file, content.key());
                }
                return content.image();
            } catch (IOException unreadable) {
                throw new StoreIoException(
                        "file=" + file + ": the state of " + key.toPrintable() + " cannot be read; check the disk",
                        unreadable);
            }
        }
    }
}
