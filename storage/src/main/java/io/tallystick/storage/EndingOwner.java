package io.tallystick.storage;

import io.tallystick.store.spi.StoreThread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Says in the owner file that the owner's process is ending, as soon as the JVM begins to shut down. The next process
 * of the same node waits for that owner instead of being refused.
 *
 * <p>The owner may still finish transactions then, and closes its store, or ends without doing so. The line is added to
 * the file that this owner wrote, through a descriptor of its own: each owner makes a new file, so a line that comes
 * late stands in a file that has no name any more. Nothing waits longer than a second for it, because a disk that does
 * not answer must not keep a process alive.
 */
final class EndingOwner implements AutoCloseable {
    /** The last line of the owner file of a process that is ending. */
    static final String LINE = "state=ending";

    private static final System.Logger LOG = System.getLogger(EndingOwner.class.getName());
    private static final long MOST_MILLIS = TimeUnit.SECONDS.toMillis(1);

    private final DiskFile file;
    private final int ownerBytes;
    private final Thread hook = StoreThread.of(this::tellWithinASecond, "tallystick-ending");

    // Held while the line is written, so that the file is not closed meanwhile.
    private final ReentrantLock writing = new ReentrantLock();

    @GuardedBy("writing") private boolean isOver;

    @GuardedBy("writing") private boolean isWritten;

    private EndingOwner(DiskFile file, int ownerBytes) {
        this.file = file;
        this.ownerBytes = ownerBytes;
    }

    /**
     * Of the owner whose file this is.
     *
     * @param owner the content of the owner file, as this process wrote it
     * @throws IOException the file cannot be opened, or has other content
     */
    static EndingOwner of(Disk disk, Path ownerFile, byte[] owner) throws IOException {
        DiskFile file = disk.open(ownerFile, OpenMode.READ_WRITE);
        try {
            ByteBuffer found = ByteBuffer.allocate(owner.length);
            file.readFully(found, 0);
            if (file.size() != owner.length || !found.flip().equals(ByteBuffer.wrap(owner))) {
                throw new IOException("file=" + ownerFile + " names another owner");
            }
            return new EndingOwner(file, owner.length);
        } catch (IOException | RuntimeException | Error failed) {
            try {
                file.close();
            } catch (IOException alsoFailed) {
                failed.addSuppressed(alsoFailed);
            }
            throw failed;
        }
    }

    /** Whether the owner, by the text of its file on one line, was ending when it wrote that. */
    static boolean isEnding(String owner) {
        return owner.endsWith(' ' + LINE);
    }

    /** From now on the note is written when the JVM shuts down, until {@link #close}. */
    void start() {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException isEndingAlready) {
            tell();
        } catch (SecurityException notAllowed) {
            LOG.log(System.Logger.Level.DEBUG, "file=" + file.path() + " will not say that its owner ends", notAllowed);
        }
    }

    private void tellWithinASecond() {
        Thread teller = StoreThread.of(this::tell, "tallystick-ending-note");
        teller.start();
        try {
            teller.join(MOST_MILLIS);
        } catch (InterruptedException hasNoTime) {
            Thread.currentThread().interrupt();
        }
    }

    void tell() {
        writing.lock();
        try {
            if (!isOver) {
                isWritten = true;
                file.writeFully(ByteBuffer.wrap((LINE + "\n").getBytes(StandardCharsets.UTF_8)), ownerBytes);
            }
        } catch (IOException untold) {
            // A start of this node is refused then, as one of each other owner.
            LOG.log(System.Logger.Level.DEBUG, "file=" + file.path() + " does not say that its owner ends", untold);
        } finally {
            writing.unlock();
        }
    }

    /**
     * Nothing is written afterwards, unless a line that is being written gets no answer for a second. A file that was
     * written to is left to the end of the process, which is near: closing it may wait for its disk. Windows is the
     * exception: the next owner could not replace the file.
     */
    @Override
    public void close() throws IOException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException isEndingNow) {
            // the hook runs, and finds that it has nothing to say
        }
        if (ownsWithinASecond()) {
            try {
                isOver = true;
                if (!isWritten || SystemRules.HERE.isReplacedWhenClosed()) {
                    file.close();
                }
            } finally {
                writing.unlock();
            }
        }
    }

    private boolean ownsWithinASecond() {
        boolean isInterrupted = Thread.interrupted();
        try {
            return writing.tryLock(MOST_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException hasNoTime) {
            isInterrupted = true;
            return writing.tryLock();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
