package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Files that are read as wholes. */
public final class SourceFile {
    private static final int LARGEST_ARRAY_BYTES = Integer.MAX_VALUE - 16;

    private SourceFile() {}

    /**
     * The content of a file.
     *
     * @throws SourceException it was changed meanwhile, or is larger than any part of a log
     */
    public static byte[] read(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            long size = file.size();
            if (size > LARGEST_ARRAY_BYTES) {
                throw new SourceException(
                        SourceException.Reason.TOO_LARGE,
                        "file=" + path + " has " + size + " bytes, more than a state can have; move it out of the store"
                                + " if it is not one");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            file.readFully(bytes, 0);
            return bytes.array();
        } catch (NoSuchFileException | EOFException gone) {
            throw changed(path);
        }
    }

    /** Whether the directory has a name of this form. */
    public static boolean isIn(Disk disk, Path directory, Pattern name) throws IOException {
        boolean[] isFound = {false};
        disk.forEach(
                directory,
                path -> isFound[0] |=
                        name.matcher(path.getFileName().toString()).matches());
        return isFound[0];
    }

    /** The first bytes of a file, which has as many. */
    static ByteBuffer readBeginning(Disk disk, Path path, int length) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            file.readFully(bytes, 0);
            return bytes.rewind();
        } catch (NoSuchFileException | EOFException gone) {
            throw changed(path);
        }
    }

    /** What to throw where a file was changed while it was read. */
    static SourceException changed(Path path) {
        return new SourceException(
                SourceException.Reason.CHANGED,
                "file=" + path + " was changed while it was read, so something is still writing there; stop the"
                        + " transaction manager and run this again");
    }
}
