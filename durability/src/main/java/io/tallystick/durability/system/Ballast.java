package io.tallystick.durability.system;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** A file that fills a file system up to the free bytes that a stage wants. */
public final class Ballast implements AutoCloseable {
    private static final int KIB = 1024;

    private final RandomAccessFile file;
    private final byte[] chunk = new byte[KIB];

    public Ballast(Path path) throws IOException {
        file = new RandomAccessFile(path.toFile(), "rw");
    }

    /** Leaves this many KiB free, if there are as many. */
    public void leave(int kib) throws IOException {
        long length = file.length();
        for (int size = 256 * KIB; size >= KIB; size /= 4) {
            byte[] some = size == KIB ? chunk : new byte[size];
            try {
                while (true) {
                    file.seek(length);
                    file.write(some);
                    // With delayed allocation a write may succeed now and find no room later.
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

    /** Leaves all bytes free. */
    public void leaveAll() throws IOException {
        file.setLength(0);
        file.getFD().sync();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
