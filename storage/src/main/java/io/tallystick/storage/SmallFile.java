package io.tallystick.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Whole small files, replaced in one step as far as a crash can see. */
final class SmallFile {
    private SmallFile() {}

    static void replace(Disk disk, Path target, byte[] content) throws IOException {
        Path temporary = target.resolveSibling(target.getFileName() + StoreIdentity.TEMPORARY_SUFFIX);
        try {
            disk.delete(temporary);
        } catch (NoSuchFileException usual) {
            // nothing was left over by a crash
        }
        try (DiskFile file = disk.open(temporary, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.wrap(content), 0);
            file.force();
        }
        disk.rename(temporary, target);
        disk.forceDirectory(target.getParent());
    }
}
