package io.tallystick.nativeio;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.file.Path;

/** A disk whose files past the page cache are written by an engine; everything else is the other disk's. */
final class NativeDisk extends ForwardingDisk {
    private final Engine engine;
    private final LanePool lanes;

    NativeDisk(Disk base, Engine engine) {
        super(base);
        this.engine = engine;
        this.lanes = new LanePool(engine);
    }

    @Override
    public DiskFile open(Path file, OpenMode mode) throws IOException {
        DiskFile ordinary = disk.open(file, mode);
        if (mode != OpenMode.DIRECT_SYNC) {
            return ordinary;
        }
        Descriptor descriptor = null;
        DiskFile opened = null;
        try {
            int alignment = directAlignment(file.toAbsolutePath().getParent());
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
}
