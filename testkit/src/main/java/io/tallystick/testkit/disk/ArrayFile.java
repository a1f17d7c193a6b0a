package io.tallystick.testkit.disk;

import io.tallystick.storage.DiskFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file of a fixed size that is an array, for tests that read a million damaged files.
 *
 * @param path the path that errors name
 * @param bytes the content; writes change it
 */
public record ArrayFile(Path path, byte[] bytes) implements DiskFile {
    @Override
    public long size() {
        return bytes.length;
    }

    @Override
    public int read(ByteBuffer target, long position) {
        if (position >= bytes.length) {
            return -1;
        }
        int count = (int) Math.min(target.remaining(), bytes.length - position);
        target.put(bytes, (int) position, count);
        return count;
    }

    /**
     * @throws IndexOutOfBoundsException the bytes reach beyond the end of the file
     */
    @Override
    public int write(ByteBuffer source, long position) {
        int count = source.remaining();
        source.get(bytes, (int) position, count);
        return count;
    }

    @Override
    public void force() {
        // an array is as durable as it gets here
    }

    /**
     * @throws UnsupportedOperationException always
     */
    @Override
    public void truncate(long size) {
        throw new UnsupportedOperationException("a file of a fixed size");
    }

    @Override
    public void close() {
        // nothing to give back
    }
}
