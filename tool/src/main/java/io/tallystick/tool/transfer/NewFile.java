package io.tallystick.tool.transfer;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.DiskRemedy;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.UUID;

/** A file of the user that appears when it is complete and on disk. It replaces none, and only its owner reads it. */
final class NewFile {
    private static final int BUFFER_BYTES = 1 << 16;

    private final SystemDisk disk = new SystemDisk();
    private final Path file;
    private final Path unfinished;

    /**
     * @throws ToolException there is a file of this name, or no directory for it; nothing was made
     */
    NewFile(Path file) {
        this.file = file.toAbsolutePath().normalize();
        this.unfinished = this.file.resolveSibling(this.file.getFileName() + "." + UUID.randomUUID() + ".tmp");
        if (Files.exists(this.file, LinkOption.NOFOLLOW_LINKS)) {
            throw exists();
        }
        Path parent = this.file.getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw new ToolException(
                    ExitStatus.FAILED,
                    "directory=" + parent
                            + (Files.exists(parent) ? " is not a directory" : " does not exist")
                            + "; give a file in a directory that is there");
        }
    }

    /** Writes the content. */
    interface Content {
        void writeTo(OutputStream stream) throws IOException;
    }

    /**
     * Makes the file.
     *
     * @throws ToolException another process has made one of this name meanwhile; it stays as it is
     */
    void write(Content content) throws IOException {
        try {
            try (DiskFile made = disk.open(unfinished, OpenMode.CREATE_NEW)) {
                OutputStream stream = new BufferedOutputStream(new DiskFileStream(made), BUFFER_BYTES);
                content.writeTo(stream);
                stream.flush();
                made.force();
            } catch (AccessDeniedException denied) {
                throw new AccessDeniedException(String.valueOf(file.getParent())); // not the temporary name
            } catch (IOException failed) {
                throw new ToolException(
                        ExitStatus.FAILED,
                        "file=" + file + " could not be written (" + failed.getMessage() + "), so it was not made; "
                                + DiskRemedy.of(failed),
                        failed);
            }
            appear(unfinished);
            disk.forceDirectory(file.getParent());
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /** Gives the finished file its name: a link is never made over a file, and a renaming would be. */
    void appear(Path finished) throws IOException {
        try {
            Files.createLink(file, finished);
        } catch (FileAlreadyExistsException there) {
            throw exists();
        } catch (IOException | UnsupportedOperationException noLinks) {
            appearWithoutLink(finished);
        }
    }

    /** As {@link #appear}, where the file system has no hard links: an empty file takes the name first. */
    void appearWithoutLink(Path finished) throws IOException {
        try {
            disk.open(file, OpenMode.CREATE_NEW).close();
        } catch (FileAlreadyExistsException there) {
            throw exists();
        }
        boolean isThere = false;
        try {
            disk.rename(finished, file);
            isThere = true;
        } finally {
            if (!isThere) {
                Files.deleteIfExists(file);
            }
        }
    }

    private ToolException exists() {
        return new ToolException(
                ExitStatus.REFUSED, "file=" + file + " exists already; move it away, or give another name");
    }

    /** The bytes of a file, from its beginning. */
    private static final class DiskFileStream extends OutputStream {
        private final DiskFile file;
        private long at;

        DiskFileStream(DiskFile file) {
            this.file = file;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            file.writeFully(ByteBuffer.wrap(bytes, offset, length), at);
            at += length;
        }
    }
}
