package io.tallystick.storage;

import io.tallystick.store.spi.StoreThread;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Says in the owner file that the owner's process is ending, as soon as the JVM begins to shut down. The next process
 * of the same node waits for that owner instead of being refused.
 *
 * <p>The owner may still finish transactions then, and closes its store, or ends without doing so. Nothing waits longer
 * than a second for the note: it is written by a thread of its own, because a disk that does not answer must not keep
 * a process alive.
 */
final class EndingOwner implements AutoCloseable {
    /** The last line of the owner file of a process that is ending. */
    static final String LINE = "state=ending";

    private static final System.Logger LOG = System.getLogger(EndingOwner.class.getName());
    private static final long MOST_MILLIS = TimeUnit.SECONDS.toMillis(1);

    private final Disk disk;
    private final Path ownerFile;
    private final byte[] ending;
    private final BooleanSupplier isLost;
    private final Thread hook = StoreThread.of(this::tellWithinASecond, "tallystick-ending");

    // Held while the note is written, so that it cannot replace the note of the next owner.
    private final ReentrantLock owning = new ReentrantLock();
    // Guarded by the lock.
    private boolean isOver;

    /**
     * @param owner the content of the owner file, as this process wrote it
     * @param isLost whether another owner may have the directory
     */
    EndingOwner(Disk disk, Path ownerFile, byte[] owner, BooleanSupplier isLost) {
        this.disk = disk;
        this.ownerFile = ownerFile;
        this.ending = ending(owner);
        this.isLost = isLost;
    }

    /** The owner file of this owner when it is ending. */
    static byte[] ending(byte[] owner) {
        byte[] line = (LINE + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] ending = Arrays.copyOf(owner, owner.length + line.length);
        System.arraycopy(line, 0, ending, owner.length, line.length);
        return ending;
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
            LOG.log(System.Logger.Level.DEBUG, "file=" + ownerFile + " will not say that its owner ends", notAllowed);
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
        owning.lock();
        try {
            if (!isOver && !isLost.getAsBoolean()) {
                SmallFile.note(disk, ownerFile, ending);
            }
        } catch (IOException untold) {
            // A start of this node is refused then, as one of each other owner.
            LOG.log(System.Logger.Level.DEBUG, "file=" + ownerFile + " does not say that its owner ends", untold);
        } finally {
            owning.unlock();
        }
    }

    /**
     * Before the directory is given up: nothing is written afterwards. Where a note that is being written does not come
     * to an end, the directory stays this process' own until it has ended: the note could replace the next owner's.
     */
    @Override
    public void close() {
        if (ownsWithinASecond()) {
            isOver = true;
            owning.unlock();
        } else {
            UnansweredWrites.keep(ownerFile, this);
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException isEndingNow) {
            // the hook runs, and finds that it has nothing to say
        }
    }

    private boolean ownsWithinASecond() {
        boolean isInterrupted = Thread.interrupted();
        try {
            return owning.tryLock(MOST_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException hasNoTime) {
            isInterrupted = true;
            return owning.tryLock();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
