package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.file.format.StateFileReader;
import io.tallystick.store.spi.StatisticsRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Finds the states in a directory when a store is opened. It reads every file, refuses a file that it does not know,
 * and changes nothing until it has read all.
 *
 * <p>The content of a file may still be in memory only, left there by a process that was killed. So recovery forces it
 * before a caller acts on it. It deletes spare files rather than using them again, because a crash may have left one
 * under its old name as well.
 */
final class Recovery {
    private static final System.Logger LOG = System.getLogger(FileStore.class.getName());

    private final Disk disk;
    private final Path root;
    private final byte[] store;
    private final TypeDirectories types;
    private final StatisticsRecorder statistics;

    private final List<Path> directories = new ArrayList<>();
    private final List<Path> states = new ArrayList<>();
    private final List<Path> spares = new ArrayList<>();

    // Guards the index, the statistics and the sequence while several threads read.
    private final Object found = new Object();
    private long lastSequence;

    Recovery(Disk disk, Path root, byte[] store, TypeDirectories types, StatisticsRecorder statistics) {
        this.disk = disk;
        this.root = root;
        this.store = store;
        this.types = types;
        this.statistics = statistics;
    }

    /**
     * Fills the index.
     *
     * @throws CorruptStoreException a file is damaged, not in its place, or not one that a store makes; nothing was
     * changed
     * @throws UnsupportedFormatException a file has a newer format; nothing was changed
     */
    void recover() throws IOException {
        makeRoot();
        lookAtEverything();
        StateReaders.readAll(states, this::recoverState);
        for (Path directory : directories) {
            disk.forceDirectory(directory);
            types.recovered(directory);
        }
        for (Path spare : spares) {
            disk.delete(spare);
        }
        if (!spares.isEmpty()) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "TALLY0503 deleted {0} files below {1} that held no state: the store was not closed, or failed",
                    Integer.toString(spares.size()),
                    root);
        }
    }

    /** The highest sequence in any file; 0 where there is none. */
    long lastSequence() {
        return lastSequence;
    }

    private void makeRoot() throws IOException {
        switch (disk.kindOf(root)) {
            case DIRECTORY -> {}
            case MISSING -> disk.createDirectory(root);
            default -> throw stranger(root, "is not a directory");
        }
        disk.forceDirectory(Objects.requireNonNull(root.getParent(), "it lies in the store's directory"));
    }

    private void lookAtEverything() throws IOException {
        new StatesTree(disk, root).walk(new StatesTree.Visitor() {
            @Override
            public void directory(Path path) {
                directories.add(path);
            }

            @Override
            public void state(Path path) {
                states.add(path);
            }

            @Override
            public void spare(Path path) {
                spares.add(path);
            }

            @Override
            public void stranger(Path path, String what) {
                throw Recovery.stranger(path, what);
            }
        });
    }

    private void recoverState(Path path) throws IOException {
        StateFileReader.Content content = new StateFileReader(path, store).readForced(disk);
        StateKey key = content.key();
        synchronized (found) {
            TypeDirectory type =
                    types.recovered(key.type(), Objects.requireNonNull(path.getParent(), "it lies below the root"));
            if (!type.stateFile(key.id()).equals(path)) {
                throw StateFiles.misplaced(path, key);
            }
            type.recovered(key.id(), StoredState.inFile(content.image()));
            lastSequence = Math.max(lastSequence, content.sequence());
            statistics.recordsChanged(1);
            statistics.bytesChanged(content.image().bytes());
        }
    }

    private static CorruptStoreException stranger(Path path, String what) {
        return new CorruptStoreException(
                path,
                0,
                "this " + what,
                "nothing was changed; if it is yours, move it out of the store, and if it was a state file, give it"
                        + " back its name");
    }
}
