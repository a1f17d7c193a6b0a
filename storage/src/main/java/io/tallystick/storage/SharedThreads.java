package io.tallystick.storage;

import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Opens channels whose operations end on threads of the JDK, which all channels of the process share. Windows has no
 * other asynchronous channels, and with an executor of its own each channel would get a thread.
 *
 * <p>The JDK starts these threads with the first such channel, and they live as long as the process. So a thread that
 * has nothing of an application opens the first channel.
 */
final class SharedThreads {
    private volatile boolean areStarted;

    AsynchronousFileChannel open(Path file, Set<OpenOption> options, FileAttribute<?>[] made) throws IOException {
        if (areStarted) {
            return AsynchronousFileChannel.open(file, options, null, made);
        }
        AtomicReference<AsynchronousFileChannel> opened = new AtomicReference<>();
        AtomicReference<IOException> refused = new AtomicReference<>();
        Thread opener = StoreThread.of(
                () -> {
                    Thread.currentThread().setContextClassLoader(ClassLoader.getSystemClassLoader());
                    try {
                        opened.set(AsynchronousFileChannel.open(file, options, null, made));
                    } catch (IOException failed) {
                        refused.set(failed);
                    }
                },
                "tallystick-first-file");
        opener.start();
        UninterruptedWait.join(opener);
        if (refused.get() != null) {
            throw refused.get();
        }
        if (opened.get() == null) { // an Error, which this thread meets again
            return AsynchronousFileChannel.open(file, options, null, made);
        }
        areStarted = true;
        return opened.get();
    }
}
