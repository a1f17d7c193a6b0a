package io.tallystick.store.journal.io;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.spi.Damage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file on a disk that fails in places, for an inspection. The listener hears of unreadable bytes, and they are read
 * as zeros, so that all other bytes are seen. Read-only.
 */
public final class BestEffortFile implements DiskFile {
    private static final int BLOCK_BYTES = 4096;

    private final DiskFile file;
    private final DamageListener listener;
    private long lastToldEnd = -1;

    /** The same file, for reading. */
    public BestEffortFile(DiskFile file, DamageListener listener) {
        this.file = file;
        this.listener = listener;
    }

    @Override
    public Path path() {
        return file.path();
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int begin = target.position();
        try {
            return file.read(target, position);
        } catch (IOException someOfIt) {
            return readBlock(target.position(begin), position);
        }
    }

    private int readBlock(ByteBuffer target, long position) throws IOException {
        long blockEnd = Math.min((position / BLOCK_BYTES + 1) * BLOCK_BYTES, file.size());
        int length = (int) Math.min(blockEnd - position, target.remaining());
        if (length <= 0) {
            return -1;
        }
        int begin = target.position();
        int limit = target.limit();
        try {
            return file.read(target.limit(begin + length), position);
        } catch (IOException noneOfIt) {
            target.position(begin);
            while (target.hasRemaining()) {
                target.put((byte) 0);
            }
            if (position > lastToldEnd || position < lastToldEnd - length) {
                listener.damaged(
                        path(), position, Damage.Kind.UNREADABLE, "it cannot be read: " + noneOfIt.getMessage());
            }
            lastToldEnd = position + length;
            return length;
        } finally {
            target.limit(limit);
        }
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        throw readOnly();
    }

    @Override
    public void force() throws IOException {
        throw readOnly();
    }

    @Override
    public void truncate(long size) throws IOException {
        throw readOnly();
    }

    private IOException readOnly() {
        return new IOException("file=" + path() + " is open for reading only");
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
