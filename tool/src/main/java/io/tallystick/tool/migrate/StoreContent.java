package io.tallystick.tool.migrate;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreGlance;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspector;
import io.tallystick.store.spi.StoreInspectors;
import io.tallystick.tool.command.DirectoryTrees;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.MarkedLoss;
import io.tallystick.tool.command.StoreAt;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The states of a closed store of ours, with hidden values, and its damage. The inspector of its kind reads them. If
 * there is no inspector, a copy is opened as a store, its states are revealed, and all values are held in memory.
 *
 * @param states the values, which may be read when asked for
 * @param damages empty for a healthy store
 */
record StoreContent(Map<StateKey, Supplier<StateImage>> states, List<Damage> damages) {
    /**
     * Reads the store.
     *
     * @param scratch a directory that does not exist, for a copy
     * @throws ToolException the store is in use, or there is none, or a loss is marked in it
     * @throws io.tallystick.store.CorruptStoreException it is damaged, and there is no inspector to tell more
     */
    static StoreContent of(Disk disk, Path directory, Supplier<Path> scratch) throws IOException {
        MarkedLoss.checkNone("directory=" + directory, MarkedLoss.in(disk, directory));
        for (StoreInspector inspector : StoreInspectors.all()) {
            if (inspector.recognizes(directory)) {
                return inspected(inspector.inspect(directory));
            }
        }
        checkIsFree("directory=" + directory, holderOf(disk, directory));
        Path copy = scratch.get();
        try {
            copyAll(disk, directory, copy);
            checkIsFree("directory=" + directory, holderOf(disk, directory));
            return new StoreContent(opened(copy), List.of());
        } finally {
            DirectoryTrees.delete(disk, copy);
        }
    }

    static Optional<String> holderOf(Disk disk, Path directory) throws IOException {
        return StoreGlance.at(disk, directory).flatMap(StoreGlance::holder);
    }

    /** The states that an inspection has found; nobody may use the store. */
    static StoreContent inspected(StoreInspection inspection) {
        checkIsFree(inspection.place(), inspection.holder());
        Map<StateKey, Supplier<StateImage>> states = new LinkedHashMap<>();
        for (InspectedRecord record : inspection.records()) {
            states.put(record.key(), record::image);
        }
        return new StoreContent(states, inspection.damages());
    }

    private static void checkIsFree(String place, Optional<String> holder) {
        if (holder.isPresent()) {
            throw new ToolException(
                    ExitStatus.IN_USE, place + " is in use by " + holder.get() + "; stop it and run this again");
        }
    }

    private static void copyAll(Disk disk, Path from, Path to) throws IOException {
        disk.createDirectory(to);
        for (Path path : disk.list(from)) {
            String name = path.getFileName().toString();
            switch (disk.kindOf(path)) {
                case FILE -> {
                    boolean isOfPlace = name.equals(StoreDirectory.LOCK_FILE)
                            || name.equals(StoreDirectory.OWNER_FILE)
                            || name.equals(StoreDirectory.PLACE_FILE);
                    if (!isOfPlace) {
                        WholeFile.copy(disk, path, to.resolve(name));
                    }
                }
                case DIRECTORY -> {
                    if (!name.equals(Staging.NAME)) {
                        copyAll(disk, path, to.resolve(name));
                    }
                }
                default -> {
                    // stores do not make such files and do not refuse them
                }
            }
        }
    }

    private static Map<StateKey, Supplier<StateImage>> opened(Path copy) throws IOException {
        Map<StateKey, Supplier<StateImage>> states = new LinkedHashMap<>();
        try (ObjectStore store = StoreAt.find(copy).open(Map.of("tallystick.journal.io", "channel"))) {
            for (String type : store.types()) {
                for (StateKey key : store.keys(type)) {
                    StateStatus status = store.statusOf(key);
                    if (status.isHidden()) {
                        store.reveal(key);
                    }
                    StateImage image = StateImage.of(
                            store.read(key).orElse(null), store.readShadow(key).orElse(null), status.isHidden());
                    states.put(key, () -> image);
                }
            }
        }
        return states;
    }
}
