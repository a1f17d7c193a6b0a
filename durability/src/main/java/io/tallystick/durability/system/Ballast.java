package io.tallystick.durability.system;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** A file that takes up the free bytes of a file system, except for as many as a stage wants. */
public final class Ballast implements AutoCloseable {
    private static final int KIB = 1024;

    private final RandomAccessFile file;
    private final byte[] chunk = new byte[KIB];

    public Ballast(Path path) throws IOException {
        file = new RandomAccessFile(path.toFile(), "rw");
    }

    /** Leaves so many KiB, if there are so many. */
    public void leave(int kib) throws IOException {
        long length = file.length();
        for (int size = 256 * KIB; size >= KIB; size /= 4) {
            byte[] some = size == KIB ? chunk : new byte[size];
            try {
                while (true) {
                    file.seek(length);
                    file.write(some);
                    // Delayed allocation would find room later that there is not now.
                    file.getFD().sync();
                    length += size;
                }
            } catch (IOException full) {
                file.setLength(length);
            }
        }
        file.setLength(Math.max(0, length - (long) kib * KIB));
        file.getFD().sync();
    }

    /** Leaves everything. */
    public void leaveAll() throws IOException {
        file.setLength(0);
        file.getFD().sync();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
