package io.tallystick.nativeio;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A disk whose files past the page cache are written by an engine; everything else is the other disk's. */
final class NativeDisk implements Disk {
    private final Disk base;
    private final Engine engine;
    private final LanePool lanes;

    NativeDisk(Disk base, Engine engine) {
        this.base = base;
        this.engine = engine;
        this.lanes = new LanePool(engine);
    }

    @Override
    public DiskFile open(Path file, OpenMode mode) throws IOException {
        DiskFile ordinary = base.open(file, mode);
        if (mode != OpenMode.DIRECT_SYNC) {
            return ordinary;
        }
        Descriptor descriptor = null;
        DiskFile opened = null;
        try {
            int alignment = base.directAlignment(file.toAbsolutePath().getParent());
            descriptor = engine.open(file);
            opened = new NativeFile(ordinary, descriptor, lanes, alignment);
            return opened;
        } finally {
            if (opened == null) {
                close(ordinary, descriptor);
            }
        }
    }

    private static void close(DiskFile ordinary, Descriptor descriptor) throws IOException {
        try (ordinary) {
            if (descriptor != null) {
                descriptor.close();
            }
        }
    }

    @Override
    public PathKind kindOf(Path path) throws IOException {
        return base.kindOf(path);
    }

    @Override
    public long size(Path file) throws IOException {
        return base.size(file);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        base.createDirectory(directory);
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        base.rename(source, target);
    }

    @Override
    public void delete(Path path) throws IOException {
        base.delete(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return base.list(directory);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        base.forceDirectory(directory);
    }

    @Override
    public Path realPath(Path path) throws IOException {
        return base.realPath(path);
    }

    @Override
    public long usableSpace(Path path) throws IOException {
        return base.usableSpace(path);
    }

    @Override
    public String fileSystemType(Path path) throws IOException {
        return base.fileSystemType(path);
    }

    @Override
    public int directAlignment(Path directory) throws IOException {
        return base.directAlignment(directory);
    }

    @Override
    public Optional<DiskLock> tryLock(Path file) throws IOException {
        return base.tryLock(file);
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        return base.isLocked(file);
    }
}
