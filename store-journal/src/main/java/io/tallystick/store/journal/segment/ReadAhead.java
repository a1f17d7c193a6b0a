package io.tallystick.store.journal.segment;

import io.tallystick.storage.DiskFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Has the operating system read a file while another one is decoded. So recovery takes as long as the slower of the
 * two, not as both together. The bytes are thrown away; a failure is not.
 */
final class ReadAhead implements AutoCloseable {
    /** Files that fit into one read of this length are not read ahead. */
    static final int CHUNK_BYTES = 1024 * 1024;

    private ByteBuffer chunk;
    private final ExecutorService reader = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "tallystick-read-ahead");
        thread.setDaemon(true);
        return thread;
    });
    private CompletableFuture<Void> reading = CompletableFuture.completedFuture(null);

    /** Begins to read the file of this length, after those before. */
    void begin(DiskFile file, long fileBytes) {
        if (fileBytes <= CHUNK_BYTES) {
            return;
        }
        if (chunk == null) {
            chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        }
        reading = reading.thenRunAsync(() -> read(file), reader);
    }

    /**
     * Waits until the files that were begun are read.
     *
     * @throws IOException one of them cannot be read
     */
    void await() throws IOException {
        try {
            reading.join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof UncheckedIOException unreadable) {
                throw unreadable.getCause();
            }
            throw failed;
        }
    }

    private void read(DiskFile file) {
        try {
            long position = 0;
            for (int count = file.read(chunk.clear(), 0); count > 0; count = file.read(chunk.clear(), position)) {
                position += count;
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Waits until nothing is being read any more, so that files can be closed. */
    @Override
    public void close() {
        reading.exceptionally(failed -> null).join();
        reader.shutdown();
    }
}
