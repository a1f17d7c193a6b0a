package io.tallystick.testkit.disk;

import io.tallystick.testkit.Threads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A fault of a {@link FaultInjectingDisk}: the operation, the files, the occurrence, once or for ever, and the effect.
 * Immutable; every method returns another fault.
 *
 * <pre>{@code
 * disk.inject(DiskFault.in(DiskOperation.FORCE).at(3).failingWith(DiskFault.EIO));
 * disk.inject(DiskFault.in(DiskOperation.WRITE).onFiles(file ->
 * file.endsWith("log")).forEver().failingWith(DiskFault.ENOSPC)); }</pre>
 */
public final class DiskFault {
    /** The operating system's message when a device fails. */
    public static final String EIO = "Input/output error";
    /** The operating system's message when a device is full. */
    public static final String ENOSPC = "No space left on device";
    /** The operating system's message when a user has used up a quota. */
    public static final String EDQUOT = "Disk quota exceeded";

    private final DiskOperation operation;
    private final Predicate<Path> files;
    private final long first;
    private final boolean forEver;
    private final Effect effect;

    private DiskFault(DiskOperation operation, Predicate<Path> files, long first, boolean forEver, Effect effect) {
        this.operation = operation;
        this.files = files;
        this.first = first;
        this.forEver = forEver;
        this.effect = effect;
    }

    /** The effect of the fault on the operation. */
    sealed interface Effect {}

    /** An exception, before or after the operation took effect. */
    record Failure(String message, boolean afterwards) implements Effect {
        IOException exception(Path file) {
            return new IOException(file + ": " + message);
        }
    }

    /** A write that takes at most this many bytes. */
    record ShortWrite(int bytes) implements Effect {}

    /** An operation that returns normally and was not done. */
    record Lie() implements Effect {}

    /** An action that runs before the operation, which is then done as usual. */
    record Prelude(Runnable action) implements Effect {}

    /** An action that runs after the operation is done, before its caller goes on. */
    record Sequel(Runnable action) implements Effect {}

    /** A write that is given up, and may land later. */
    record GivenUp(LateWrite late) implements Effect {}

    /** A fault in the first operation of this kind on any file. It has no effect until one is chosen. */
    public static DiskFault in(DiskOperation operation) {
        return new DiskFault(Objects.requireNonNull(operation), file -> true, 1, false, new Failure(EIO, false));
    }

    /** Only on files that fulfil the condition. Operations on other files are not counted. */
    public DiskFault onFiles(Predicate<Path> condition) {
        return new DiskFault(operation, Objects.requireNonNull(condition), first, forEver, effect);
    }

    /** At the n-th operation of the kind on such files, counted from 1 since the fault was injected. */
    public DiskFault at(long occurrence) {
        if (occurrence < 1) {
            throw new IllegalArgumentException("occurrence=" + occurrence + " is less than 1");
        }
        return new DiskFault(operation, files, occurrence, forEver, effect);
    }

    /** At that operation and at all later ones of its kind. */
    public DiskFault forEver() {
        return new DiskFault(operation, files, first, true, effect);
    }

    /**
     * The operation is not done and throws an {@link IOException} with this message, as {@link #EIO} or {@link
     * #ENOSPC}.
     */
    public DiskFault failingWith(String message) {
        return with(new Failure(message, false));
    }

    /** The operation is done, and throws afterwards. */
    public DiskFault failingAfterwardsWith(String message) {
        return with(new Failure(message, true));
    }

    /** The write takes at most this many bytes and returns their number: no error. */
    public DiskFault taking(int bytes) {
        if (operation != DiskOperation.WRITE) {
            throw new IllegalArgumentException("only a WRITE can be short, not a " + operation);
        }
        return with(new ShortWrite(bytes));
    }

    /**
     * The operation is not done and returns as if it were. Only operations without a result, such as {@code WRITE} and
     * {@code FORCE}, can do so.
     */
    public DiskFault lying() {
        if (operation == DiskOperation.OPEN || operation == DiskOperation.LOCK || operation == DiskOperation.LIST) {
            throw new IllegalArgumentException(operation + " has a result, so it cannot return without being done");
        }
        return with(new Lie());
    }

    /** The operation waits until the stall is released, and is then done. */
    public DiskFault stallingAt(Stall stall) {
        return preceding(stall::pass);
    }

    /** The action runs on the thread of the operation, which is then done as usual. */
    public DiskFault preceding(Runnable action) {
        return with(new Prelude(Objects.requireNonNull(action)));
    }

    /** The operation is done as usual, and then the action runs on its thread, before the operation returns. */
    public DiskFault following(Runnable action) {
        return with(new Sequel(Objects.requireNonNull(action)));
    }

    /**
     * The write does not answer and is given up, as a native device does after its patience: it throws. The bytes are
     * out, and reach the file when {@link LateWrite#land} is called, even if the file was closed meanwhile. The
     * directory stays with this process as {@link io.tallystick.storage.UnansweredWrites} says, so a test needs a
     * directory of its own.
     */
    public DiskFault givenUpAs(LateWrite late) {
        if (operation != DiskOperation.WRITE) {
            throw new IllegalArgumentException("only a WRITE can be given up and land later, not a " + operation);
        }
        return with(new GivenUp(Objects.requireNonNull(late)));
    }

    boolean concerns(DiskOperation kind, Path file) {
        return operation == kind && files.test(file);
    }

    boolean strikesAt(long occurrence) {
        return forEver ? occurrence >= first : occurrence == first;
    }

    Effect effect() {
        return effect;
    }

    private DiskFault with(Effect other) {
        return new DiskFault(operation, files, first, forEver, other);
    }

    /** A gate at which operations wait until the test opens it for good. */
    public static final class Stall {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        /** A closed gate; no operation waits yet. */
        public Stall() {}

        /** Waits until an operation has arrived. */
        public void awaitReached() {
            if (!awaitUninterruptibly(reached, Threads.PATIENCE_SECONDS)) {
                throw new AssertionError("no operation arrived at the stall within " + Threads.PATIENCE_SECONDS + " s");
            }
        }

        /** Whether an operation has arrived. */
        public boolean isReached() {
            return reached.getCount() == 0;
        }

        /** Lets all operations pass from now on. */
        public void release() {
            released.countDown();
        }

        private void pass() {
            reached.countDown();
            if (!awaitUninterruptibly(released, 2 * Threads.PATIENCE_SECONDS)) {
                throw new AssertionError("the test did not release the stall");
            }
        }

        private static boolean awaitUninterruptibly(CountDownLatch latch, int seconds) {
            boolean interrupted = false;
            long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            try {
                while (true) {
                    try {
                        return latch.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
                    } catch (InterruptedException later) {
                        interrupted = true;
                    }
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
