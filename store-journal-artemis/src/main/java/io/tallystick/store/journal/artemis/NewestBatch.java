package io.tallystick.store.journal.artemis;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.journal.io.LogIo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The newest batch, as recovery has read it. Every earlier one was on disk before the next one was written; nothing
 * says so of this one.
 *
 * <p>The force behind it may have failed. Linux then keeps the pages readable and clean, and a later force answers
 * success for bytes that the next power cut takes away. So recovery writes the same bytes again in their place and
 * forces them, before anything depends on them. A crash on the way damages nothing: the bytes are those that are there.
 *
 * <p>A log that is written past the page cache has no such pages, unless an earlier opening wrote through it. So there
 * the batch is compared with the disk first, and written only if the disk shows other bytes.
 *
 * @param path the file
 * @param position of the batch in the file
 * @param bytes of the batch, without padding
 */
record NewestBatch(Path path, int position, byte[] bytes) {
    private static final int LARGEST_BLOCK_BYTES = 64 * 1024;
    // The JDK keeps a buffer as long as the longest write.
    private static final int CHUNK_BYTES = 64 * 1024;

    /**
     * Brings the batch to disk, and clears the rest of a batch behind it that a crash has torn. Behind the next batch
     * it would look like damage.
     *
     * @throws IOException it may not be on disk, so the log must not be opened
     */
    void bringToDisk(LogIo io) throws IOException {
        try (DiskFile file = io.disk().open(path, OpenMode.READ_WRITE)) {
            boolean isBatchSure = !io.needsForce() && isOnDisk(io);
            if (!isBatchSure) {
                writeAgain(file);
            }
            boolean isCleared = clearTornBatch(file);
            if (!isBatchSure || isCleared) {
                file.force();
            }
        }
    }

    private int end() {
        return position + bytes.length;
    }

    private boolean isOnDisk(LogIo io) throws IOException {
        long begin = position - position % io.alignment();
        int capacity = Math.max(CHUNK_BYTES, io.alignment());
        ByteBuffer part = ByteBuffer.allocateDirect(capacity + io.alignment())
                .alignedSlice(io.alignment())
                .slice(0, capacity);
        try (DiskFile direct = io.disk().open(path, io.mode())) {
            long fileBytes = direct.size();
            for (long at = begin; at < end(); at += capacity) {
                int length = (int) Math.min(capacity, ArtemisFormat.aligned(end() - at, io.alignment()));
                if (at + length > fileBytes) {
                    return false;
                }
                direct.readFully(part.clear().limit(length), at);
                int from = (int) Math.max(0, position - at);
                int until = (int) Math.min(length, end() - at);
                ByteBuffer wanted = ByteBuffer.wrap(bytes, (int) (at + from - position), until - from);
                if (!part.position(from).limit(until).equals(wanted)) {
                    return false;
                }
            }
            return true;
        }
    }

    private void writeAgain(DiskFile file) throws IOException {
        for (int at = 0; at < bytes.length; at += CHUNK_BYTES) {
            file.writeFully(ByteBuffer.wrap(bytes, at, Math.min(CHUNK_BYTES, bytes.length - at)), position + at);
        }
    }

    /** Writes zeros behind the batch if there are other bytes; returns whether it did. */
    private boolean clearTornBatch(DiskFile file) throws IOException {
        int length = (int) Math.min(LARGEST_BLOCK_BYTES, file.size() - end());
        ByteBuffer found = ByteBuffer.allocate(length);
        file.readFully(found, end());
        if (found.flip().equals(ByteBuffer.allocate(length))) {
            return false;
        }
        file.writeFully(ByteBuffer.allocate(length), end());
        return true;
    }
}
