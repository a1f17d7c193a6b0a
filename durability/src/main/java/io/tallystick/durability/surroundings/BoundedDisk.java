package io.tallystick.durability.surroundings;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A disk that has so many bytes of room left, and at one operation ends the process as a kill does. Room is what files
 * grow by; deleted and replaced files give theirs back. Any number of threads may use it.
 */
final class BoundedDisk extends ForwardingDisk {
    /** Ample room, bytes. */
    static final long AMPLE = Long.MAX_VALUE / 2;

    private static final int KILLED = 137;
    private static final String NO_ROOM = "No space left on device";

    // Its own lock guards all of these.
    private long roomBytes;
    private long operationsOfOpening;
    private long changesOfOpening;
    private long operationsOfGrowth;
    private boolean isOpen;

    /**
     * Where the process ends; 0 is nowhere.
     *
     * @param openingAt an operation of the opening
     * @param openingChangeAt a write of the opening into a file that was there: few of them decide what counts
     * @param growthAt an operation on names and new files, counted from the end of the opening
     */
    record Halts(int openingAt, int openingChangeAt, int growthAt) {
        static final Halts NOWHERE = new Halts(0, 0, 0);
    }

    /** @param roomBytes the room that is left */
    BoundedDisk(Disk disk, long roomBytes, Halts halts) {
        super(disk);
        this.roomBytes = roomBytes;
        this.operationsOfOpening = halts.openingAt();
        this.changesOfOpening = halts.openingChangeAt();
        this.operationsOfGrowth = halts.growthAt();
    }

    /** The store is open. */
    synchronized void opened() {
        isOpen = true;
    }

    /** Counts an operation, and ends the process if it is the one. */
    private synchronized void count(boolean isGrowth) {
        if (!isOpen && --operationsOfOpening == 0 || isOpen && isGrowth && --operationsOfGrowth == 0) {
            Runtime.getRuntime().halt(KILLED);
        }
    }

    /** Counts a write into a file that was there, and ends the process if it is the one. */
    private synchronized void countChange() {
        if (!isOpen && --changesOfOpening == 0) {
            Runtime.getRuntime().halt(KILLED);
        }
    }

    private synchronized void take(long bytes) throws IOException {
        if (bytes > roomBytes) {
            throw new IOException(NO_ROOM);
        }
        roomBytes -= bytes;
    }

    private synchronized void giveBack(long bytes) {
        roomBytes += bytes;
    }

    private synchronized long roomBytes() {
        return roomBytes;
    }

    @Override
    public DiskFile open(Path file, OpenMode mode) throws IOException {
        boolean isNew = mode == OpenMode.CREATE_NEW;
        count(isNew);
        return new BoundedFile(disk.open(file, mode), isNew);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        count(true);
        disk.createDirectory(directory);
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        count(true);
        long replaced = sizeOf(target);
        disk.rename(source, target);
        giveBack(replaced);
    }

    @Override
    public void renameToNew(Path source, Path target) throws IOException {
        count(true);
        disk.renameToNew(source, target);
    }

    @Override
    public void delete(Path path) throws IOException {
        count(true);
        long deleted = sizeOf(path);
        disk.delete(path);
        giveBack(deleted);
    }

    private long sizeOf(Path file) throws IOException {
        return disk.kindOf(file) == PathKind.FILE ? disk.size(file) : 0;
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        count(true);
        disk.forceDirectory(directory);
    }

    @Override
    public long usableSpace(Path path) throws IOException {
        return Math.min(roomBytes(), disk.usableSpace(path));
    }

    /** A file that grows only where there is room. */
    private final class BoundedFile implements DiskFile {
        private final DiskFile file;
        private final boolean isNew;

        BoundedFile(DiskFile file, boolean isNew) {
            this.file = file;
            this.isNew = isNew;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return file.read(target, position);
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            count(isNew);
            if (!isNew) {
                countChange();
            }
            long growth = Math.max(0, position + source.remaining() - file.size());
            if (growth > 0) {
                take(growth);
            }
            return file.write(source, position);
        }

        @Override
        public void force() throws IOException {
            count(isNew);
            file.force();
        }

        @Override
        public void truncate(long size) throws IOException {
            count(isNew);
            long cut = Math.max(0, file.size() - size);
            file.truncate(size);
            giveBack(cut);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
