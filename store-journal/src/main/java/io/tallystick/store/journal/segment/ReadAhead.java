package io.tallystick.store.journal.segment;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Has the operating system read a file while another one is decoded. So recovery takes as long as the slower of the
 * two, not as both together. The bytes are thrown away; a failure is not.
 *
 * <p>A plain thread reads each file: the classes of an executor and of its futures cost a new process more.
 */
final class ReadAhead implements AutoCloseable {
    /** Files that fit into one read of this length are not read ahead. */
    static final int CHUNK_BYTES = 1024 * 1024;

    private ByteBuffer chunk;
    private Reading readingOrNull;

    /**
     * Begins to read the file of this length, after the file before.
     *
     * @throws IOException the file before cannot be read
     */
    void begin(DiskFile file, long fileBytes) throws IOException {
        if (fileBytes <= CHUNK_BYTES) {
            return;
        }
        await();
        if (chunk == null) {
            chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        }
        readingOrNull = new Reading(file, chunk);
        readingOrNull.start();
    }

    /**
     * Waits until the file that was begun is read.
     *
     * @throws IOException it cannot be read
     */
    void await() throws IOException {
        Reading ended = readingOrNull;
        if (ended != null) {
            UninterruptedWait.join(ended);
            readingOrNull = null;
            ended.check();
        }
    }

    /** Waits until nothing is being read any more, so that files can be closed. */
    @Override
    public void close() {
        if (readingOrNull != null) {
            UninterruptedWait.join(readingOrNull);
        }
    }

    /** Reads one file. Its failure is looked at when the thread has ended. */
    private static final class Reading extends Thread {
        private final DiskFile file;
        private final ByteBuffer chunk;
        private IOException unreadable;
        private RuntimeException refused;
        private Error error;

        Reading(DiskFile file, ByteBuffer chunk) {
            super("tallystick-read-ahead");
            setDaemon(true);
            this.file = file;
            this.chunk = chunk;
        }

        @Override
        public void run() {
            try {
                long position = 0;
                for (int count = file.read(chunk.clear(), 0); count > 0; count = file.read(chunk.clear(), position)) {
                    position += count;
                }
            } catch (IOException failed) {
                unreadable = failed;
            } catch (RuntimeException failed) {
                refused = failed;
            } catch (Error failed) {
                error = failed;
            }
        }

        void check() throws IOException {
            if (unreadable != null) {
                throw unreadable;
            }
            if (refused != null) {
                throw refused;
            }
            if (error != null) {
                throw error;
            }
        }
    }
}
