package io.tallystick.store.journal.io;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file to measure durable writes with. All of its blocks were written and forced once, so that a later write changes
 * neither the size nor the allocation of the file. For one thread.
 */
public final class TrialFile implements AutoCloseable {
    private static final int LEAST_BLOCK_BYTES = 4096;
    private static final int MOST_PREPARED_AT_ONCE = 64 * 1024;

    private final LogIo io;
    private final Path path;
    private final int blocks;
    private final int blockBytes;
    private final ByteBuffer zeros;
    private final DiskFile file;
    private long next;

    /**
     * Makes the file. A file that is there already is deleted first.
     *
     * @param io the way to the disk that is measured
     * @param bytes the size of the file, at least one block; a part of a block at the end is left out
     */
    public TrialFile(LogIo io, Path path, int bytes) throws IOException {
        this.io = io;
        this.path = path;
        blockBytes = Math.max(io.alignment(), LEAST_BLOCK_BYTES);
        blocks = bytes / blockBytes;
        int preparedAtOnce = Math.min(blocks, Math.max(1, MOST_PREPARED_AT_ONCE / blockBytes));
        zeros = ByteBuffer.allocateDirect((preparedAtOnce + 1) * blockBytes).alignedSlice(blockBytes);
        deleteIfThere();
        DiskFile opened = null;
        try {
            try (DiskFile made = io.disk().open(path, OpenMode.CREATE_NEW)) {
                for (int block = 0; block < blocks; block += preparedAtOnce) {
                    int written = Math.min(preparedAtOnce, blocks - block);
                    made.writeFully(zeros.clear().limit(written * blockBytes), (long) block * blockBytes);
                }
                made.force();
            }
            opened = io.disk().open(path, io.mode());
        } finally {
            if (opened == null) {
                deleteIfThere();
            }
        }
        file = opened;
    }

    /** Writes the next block; after the last block comes the first. */
    public void write() throws IOException {
        file.writeFully(zeros.clear().limit(blockBytes), next * blockBytes);
        next = (next + 1) % blocks;
    }

    /** Makes the last write durable, if writes of this way need a force. */
    public void force() throws IOException {
        if (io.needsForce()) {
            file.force();
        }
    }

    /** Takes the name away, so that the file is gone when the process ends, however that happens. */
    public void deleteName() throws IOException {
        deleteIfThere();
    }

    /** Closes the file and deletes it. */
    @Override
    public void close() throws IOException {
        try {
            file.close();
        } finally {
            deleteIfThere();
        }
    }

    private void deleteIfThere() throws IOException {
        Disk disk = io.disk();
        try {
            disk.delete(path);
        } catch (NoSuchFileException usual) {
            // nothing to delete
        }
    }
}
