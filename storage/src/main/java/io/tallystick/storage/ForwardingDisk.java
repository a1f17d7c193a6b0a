package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Another disk, to be changed in a few places: every method hands on to it, with its promises and errors. */
public abstract class ForwardingDisk implements Disk {
    /** The disk that everything is handed on to. */
    protected final Disk disk;

    /** Hands on to this disk. */
    protected ForwardingDisk(Disk disk) {
        this.disk = Objects.requireNonNull(disk, "disk");
    }

    @Override
    public DiskFile open(Path file, OpenMode mode) throws IOException {
        return disk.open(file, mode);
    }

    @Override
    public PathKind kindOf(Path path) throws IOException {
        return disk.kindOf(path);
    }

    @Override
    public Optional<PathIdentity> identityOf(Path path) throws IOException {
        return disk.identityOf(path);
    }

    @Override
    public long size(Path file) throws IOException {
        return disk.size(file);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        disk.createDirectory(directory);
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        disk.rename(source, target);
    }

    @Override
    public void renameToNew(Path source, Path target) throws IOException {
        disk.renameToNew(source, target);
    }

    @Override
    public void delete(Path path) throws IOException {
        disk.delete(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return disk.list(directory);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        disk.forceDirectory(directory);
    }

    @Override
    public Path realPath(Path path) throws IOException {
        return disk.realPath(path);
    }

    @Override
    public long usableSpace(Path path) throws IOException {
        return disk.usableSpace(path);
    }

    @Override
    public String fileSystemType(Path path) throws IOException {
        return disk.fileSystemType(path);
    }

    @Override
    public void forEach(Path directory, PathVisitor visitor) throws IOException {
        disk.forEach(directory, visitor);
    }

    @Override
    public DiskPlace placeOf(Path directory) throws IOException {
        return disk.placeOf(directory);
    }

    @Override
    public int directAlignment(Path directory) throws IOException {
        return disk.directAlignment(directory);
    }

    @Override
    public Optional<DiskLock> tryLock(Path file) throws IOException {
        return disk.tryLock(file);
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        return disk.isLocked(file);
    }
}
