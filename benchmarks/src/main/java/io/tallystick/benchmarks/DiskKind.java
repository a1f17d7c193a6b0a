package io.tallystick.benchmarks;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** The two ways to make one block durable that every store has to choose between. */
enum DiskKind {
    /** Write to the page cache, then wait for the device. */
    FORCED("write+fdatasync", OpenMode.READ_WRITE),
    /** Past the page cache, each write durable when it returns. */
    DIRECT("O_DIRECT|O_DSYNC", OpenMode.DIRECT_SYNC);

    /** What is written at once, bytes: a log record of a transaction, padded to a block. */
    static final int BLOCK_BYTES = 4096;

    private final String label;
    private final OpenMode mode;

    DiskKind(String label, OpenMode mode) {
        this.label = label;
        this.mode = mode;
    }

    static DiskKind labelled(String label) {
        return Arrays.stream(values())
                .filter(kind -> kind.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no kind of disk write '" + label + "'"));
    }

    String label() {
        return label;
    }

    /** Opens a file whose blocks were all written once: new blocks would cost the file system a commit each. */
    DiskFile prepare(Disk disk, Path path, int blocks) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.CREATE_NEW)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(BLOCK_BYTES);
            for (int block = 0; block < blocks; block++) {
                file.writeFully(zeros.clear(), (long) block * BLOCK_BYTES);
            }
            file.force();
        }
        disk.forceDirectory(path.getParent());
        return disk.open(path, mode);
    }

    /** One durable write. */
    void write(DiskFile file, ByteBuffer block, long position) throws IOException {
        file.writeFully(block, position);
        if (this == FORCED) {
            file.force();
        }
    }

    /** A block whose address suits {@link Disk#directAlignment}. */
    static ByteBuffer newBlock(int alignment) {
        return ByteBuffer.allocateDirect(BLOCK_BYTES + alignment)
                .alignedSlice(alignment)
                .limit(BLOCK_BYTES)
                .slice();
    }

    /** Why this way does not work in the directory, found out by one write; empty if it works. */
    Optional<String> unavailableBecause(Disk disk, Path directory) {
        Path path = directory.resolve("probe-" + name());
        try {
            try (DiskFile file = prepare(disk, path, 1)) {
                write(file, newBlock(disk.directAlignment(directory)), 0);
            } finally {
                disk.delete(path);
            }
            return Optional.empty();
        } catch (IOException | UnsupportedOperationException refused) {
            return Optional.of(String.valueOf(refused.getMessage()));
        }
    }
}
