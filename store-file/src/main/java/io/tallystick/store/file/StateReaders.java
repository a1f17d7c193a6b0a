package io.tallystick.store.file;

import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Has several threads read the files of a store that is opened. Each file is forced when it was read, and forces that
 * wait for the disk at one time share its flush. So many files take a fraction of the time that one thread would take.
 *
 * <p>The caller is one of the threads. The others have ended when it returns.
 */
final class StateReaders {
    /** Threads that read at one time. */
    static final int THREADS = 8;
    /** Fewer files than this are read by the caller alone. */
    static final int MANY_FILES = 64;

    private final List<Path> files;
    private final Reader reader;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private StateReaders(List<Path> files, Reader reader) {
        this.files = files;
        this.reader = reader;
    }

    /** Reads a file; called by several threads at a time. */
    interface Reader {
        void read(Path file) throws IOException;
    }

    /**
     * Reads all files. After a failure no further file is begun.
     *
     * @throws IOException the first failure
     */
    static void readAll(List<Path> files, Reader reader) throws IOException {
        StateReaders readers = new StateReaders(files, reader);
        List<Thread> helpers = new ArrayList<>();
        try {
            while (files.size() >= MANY_FILES && helpers.size() < THREADS - 1) {
                Thread helper = StoreThread.of(readers::read, "tallystick-file-recovery");
                helper.start();
                helpers.add(helper);
            }
            readers.read();
        } catch (RuntimeException | Error failed) {
            readers.failure.compareAndSet(null, failed);
        } finally {
            helpers.forEach(UninterruptedWait::join);
        }
        readers.check();
    }

    private void read() {
        for (int index = next.getAndIncrement(); index < files.size(); index = next.getAndIncrement()) {
            if (failure.get() != null) {
                return;
            }
            try {
                reader.read(files.get(index));
            } catch (IOException | RuntimeException | Error failed) {
                failure.compareAndSet(null, failed);
            }
        }
    }

    private void check() throws IOException {
        Throwable failed = failure.get();
        if (failed instanceof IOException unreadable) {
            throw unreadable;
        }
        if (failed instanceof RuntimeException refused) {
            throw refused;
        }
        if (failed instanceof Error error) {
            throw error;
        }
    }
}
