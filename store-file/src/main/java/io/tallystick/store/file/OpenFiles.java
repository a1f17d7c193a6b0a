package io.tallystick.store.file;

import io.tallystick.storage.DiskFile;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keeps files open that will probably be written again. A transaction manager removes a record milliseconds after it
 * was written, and the file of that record is then the next one to be written. The files of states that were written
 * last stay open, and a number of spare ones; the others are opened when they are needed.
 */
final class OpenFiles {
    /** The most files of states that stay open. */
    static final int MAX_STATES = 128;
    /** The most spare files that stay open. */
    static final int MAX_SPARES = 128;

    // A ring: a new file takes the place of the oldest.
    private final AtomicReferenceArray<Kept> states = new AtomicReferenceArray<>(MAX_STATES);
    private final AtomicInteger next = new AtomicInteger();

    private final AtomicInteger spares = new AtomicInteger();

    /** The open file of a state, until a caller takes or closes it. */
    static final class Kept {
        private final AtomicReference<DiskFile> file;

        private Kept(DiskFile file) {
            this.file = new AtomicReference<>(file);
        }

        /** The file, now the caller's; null if it is not open any more. */
        @Nullable DiskFile take() {
            return file.getAndSet(null);
        }

        /** Closes the file if it is open. */
        void close() {
            OpenFiles.close(take());
        }
    }

    /** Keeps the file of a state open for a while. */
    Kept keep(DiskFile file) {
        Kept kept = new Kept(file);
        Kept oldest = states.getAndSet(Math.floorMod(next.getAndIncrement(), MAX_STATES), kept);
        if (oldest != null) {
            oldest.close();
        }
        return kept;
    }

    /** Whether one more spare file may stay open; if so, {@link #spareTaken} must follow. */
    boolean mayKeepSpare() {
        if (spares.incrementAndGet() <= MAX_SPARES) {
            return true;
        }
        spares.decrementAndGet();
        return false;
    }

    /** An open spare file has found a use, or was closed. */
    void spareTaken() {
        spares.decrementAndGet();
    }

    /** Closes the files of states. No operation of the store may be in progress. */
    void closeAll() {
        for (int i = 0; i < MAX_STATES; i++) {
            Kept kept = states.getAndSet(i, null);
            if (kept != null) {
                kept.close();
            }
        }
    }

    /** Closes a file, or null, whose content is on disk or of no use. */
    static void close(@Nullable DiskFile file) {
        if (file == null) {
            return;
        }
        try {
            file.close();
        } catch (IOException meaningless) {
            // All bytes were forced before, or are not wanted, so the error does not matter.
        }
    }
}
