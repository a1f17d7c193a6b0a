package io.tallystick.nativeio;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.Shortage;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Finds out whether an engine works in a directory by using it there. */
final class Probe {
    private static final int BLOCKS = 3;

    private final Engine engine;
    private final Path directory;
    private final Disk disk = new SystemDisk();

    Probe(Engine engine, Path directory) {
        this.engine = engine;
        this.directory = directory;
    }

    /**
     * Writes a file of three blocks, first one block and then two, so that a wrong count shows. Then reads them through
     * the page cache. The file loses its name as soon as it is open, so that a crash leaves nothing.
     *
     * <p>Where there is no room for the file, a lane is opened and closed instead.
     *
     * @return empty if all of that worked, or why not and what to do about it
     */
    Optional<String> unavailableBecause() {
        Path file = directory.resolve(DiskDevice.PROBE_PREFIX + UUID.randomUUID());
        try {
            int alignment = disk.directAlignment(directory);
            try {
                fillWithZeros(file, BLOCKS * alignment);
                Optional<String> refusal = pastPageCacheRefusedBecause(file);
                return refusal.isPresent() ? refusal : writeAndCompare(file, alignment);
            } finally {
                deleteIfThere(file);
            }
        } catch (IOException failed) {
            // A store must open on a full disk, too, and a full disk says nothing against an engine.
            return Shortage.isShortageOfRoom(failed) ? laneRefusedBecause() : Optional.of(triedAndFailed(failed));
        } catch (RuntimeException failed) {
            return Optional.of(triedAndFailed(failed));
        }
    }

    private Optional<String> laneRefusedBecause() {
        try {
            engine.openLane().close();
            return Optional.empty();
        } catch (IOException | RuntimeException failed) {
            return Optional.of(triedAndFailed(failed));
        }
    }

    private String triedAndFailed(Exception failed) {
        return "directory=" + directory + ": " + engine.description() + " was tried and failed: " + failed;
    }

    private void fillWithZeros(Path file, int bytes) throws IOException {
        try (DiskFile created = disk.open(file, OpenMode.CREATE_NEW)) {
            created.writeFully(ByteBuffer.allocateDirect(bytes), 0);
            created.force();
        }
    }

    private Optional<String> pastPageCacheRefusedBecause(Path file) throws IOException {
        try {
            disk.open(file, OpenMode.DIRECT_SYNC).close();
            return Optional.empty();
        } catch (IOException | UnsupportedOperationException refused) {
            return Optional.of("directory=" + directory + ": its file system, " + disk.fileSystemType(directory)
                    + ", does not let a file be opened past the page cache (O_DIRECT): " + refused
                    + ". Choose a directory on ext4 or XFS, or tallystick.journal.io=channel");
        }
    }

    private Optional<String> writeAndCompare(Path file, int alignment) throws IOException {
        ByteBuffer expected = randomBytes(BLOCKS * alignment, alignment);
        ByteBuffer actual = ByteBuffer.allocate(BLOCKS * alignment);
        try (DiskFile ordinary = disk.open(file, OpenMode.READ);
                DiskFile direct = new NativeDisk(disk, engine).open(file, OpenMode.DIRECT_SYNC)) {
            disk.delete(file);
            writeOnce(direct, expected.slice(0, alignment), 0);
            writeOnce(direct, expected.slice(alignment, 2 * alignment), alignment);
            ordinary.readFully(actual, 0);
        }
        return actual.flip().equals(expected)
                ? Optional.empty()
                : Optional.of("directory=" + directory + ": " + engine.description()
                        + " was tried, and a read gave other bytes than the write. Do not use this directory");
    }

    private void deleteIfThere(Path file) throws IOException {
        try {
            disk.delete(file);
        } catch (NoSuchFileException usual) {
            // It has lost its name already.
        }
    }

    private static void writeOnce(DiskFile file, ByteBuffer source, long position) throws IOException {
        int length = source.remaining();
        int count = file.write(source, position);
        if (count != length) {
            throw new IOException("a write of " + length + " bytes at offset=" + position + " wrote " + count);
        }
    }

    private static ByteBuffer randomBytes(int length, int alignment) {
        byte[] bytes = new byte[length];
        ThreadLocalRandom.current().nextBytes(bytes);
        return ByteBuffer.allocateDirect(length + alignment)
                .alignedSlice(alignment)
                .limit(length)
                .put(0, bytes);
    }
}
