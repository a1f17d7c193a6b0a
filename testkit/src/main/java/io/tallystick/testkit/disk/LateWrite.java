package io.tallystick.testkit.disk;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.UnansweredWrites;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/** A write that was given up because the disk did not answer, and that lands when the test says so. */
public final class LateWrite {
    private final boolean isNoted;
    private Path path;
    // Null before the write is given up, and after it has landed.
    private DiskFile file;
    private ByteBuffer bytes;
    private long position;

    private LateWrite(boolean isNoted) {
        this.isNoted = isNoted;
    }

    /** A write that is noted in {@link UnansweredWrites}, as devices must do. */
    public static LateWrite noted() {
        return new LateWrite(true);
    }

    /** A write that the device forgets to note, to see that a test notices. */
    public static LateWrite forgotten() {
        return new LateWrite(false);
    }

    /** The file of the write; empty while none was given up. */
    public synchronized Optional<Path> file() {
        return Optional.ofNullable(path);
    }

    /**
     * The bytes reach the file, in the mode in which it was open. Nothing happens if none are out.
     *
     * @throws IOException the disk refuses them, for example because it has crashed
     */
    public synchronized void land() throws IOException {
        if (file != null) {
            try (DiskFile open = file) {
                file = null;
                open.writeFully(bytes, position);
            }
        }
    }

    /** Takes the bytes, and the file, which stays open until they have landed. */
    synchronized IOException giveUp(DiskFile newFile, ByteBuffer source, long newPosition) {
        path = newFile.path();
        file = newFile;
        position = newPosition;
        bytes = ByteBuffer.allocate(source.remaining()).put(source.duplicate()).flip();
        if (isNoted) {
            UnansweredWrites.keep(path, this);
        }
        return new IOException(path + " position=" + position + ": the disk did not answer, the write was given up"
                + " and may land later");
    }
}
