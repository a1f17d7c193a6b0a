package io.tallystick.storage;

import io.tallystick.store.spi.StoreThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Writes that were given up because the kernel did not answer. Such a write may still land at any time, in a segment
 * that a later owner of the directory has filled again. So from then on the directory belongs to this process until it
 * ends: {@link StoreDirectory#close} keeps the lock, and {@link StoreDirectory#take} refuses the directory.
 *
 * <p>The kernel may also read the buffer of such a write. So kept objects are reachable until the process ends, even if
 * the classes of this library are unloaded.
 */
public final class UnansweredWrites {
    private static final String PREFIX = "io.tallystick.storage.unanswered:";
    private static final String THREAD_NAME = "tallystick-unanswered-write";

    // Memory ran out while a write was noted, so it may be in any directory.
    private static volatile boolean isOneUnnamed;

    private UnansweredWrites() {}

    /**
     * Notes that a write to the file was given up and may still land. A device calls this before its caller learns of
     * the failure, so that no store can give the directory up in between.
     *
     * @param held the objects that the kernel may still use
     */
    public static void keep(Path file, Object held) {
        Objects.requireNonNull(held);
        boolean isNoted = false;
        try {
            Path directory =
                    Objects.requireNonNull(file.toAbsolutePath().normalize().getParent(), "a file's directory");
            String name = String.valueOf(file.getFileName());
            // The owner asks by the path at its opening. A link may lead from there to another path by now.
            ProcessTable.put(PREFIX + directory, name);
            ProcessTable.put(PREFIX + realPath(directory), name);
            isNoted = true;
        } finally {
            if (!isNoted) {
                isOneUnnamed = true;
            }
            keepUntilExit(held);
        }
    }

    /** A file in the directory, or below it, to which a write may still land; empty if there is none. */
    static Optional<Path> in(Path directory) {
        if (isOneUnnamed) {
            return Optional.of(directory);
        }
        boolean hasOtherNames = Files.exists(directory); // one on a simulated disk has not
        for (Map.Entry<String, String> entry : ProcessTable.entries(PREFIX).entrySet()) {
            Path file = Path.of(entry.getKey().substring(PREFIX.length()), entry.getValue());
            if (file.startsWith(directory) || hasOtherNames && isBelowSame(file, directory)) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    /** Whether one of the directories above the file is this one by another name, such as that of a second mount. */
    private static boolean isBelowSame(Path file, Path directory) {
        for (Path above = file.getParent(); above != null; above = above.getParent()) {
            try {
                if (Files.isSameFile(above, directory)) {
                    return true;
                }
            } catch (IOException simulatedOrGone) {
                // its parent may still be there
            }
        }
        return false;
    }

    /** Keeps an object reachable until the process ends. */
    static void keepUntilExit(Object held) {
        Thread holder = StoreThread.made(
                new Function<>() { // no lambda: there may be no memory for its class
                    @Override
                    public Holder apply(StoreThread.Making making) {
                        return new Holder(making, held);
                    }
                });
        try {
            // The hook does nothing: a JVM keeps its list of hooks to its end.
            Runtime.getRuntime().addShutdownHook(holder);
        } catch (IllegalStateException endsAlready) {
            StoreThread.of(
                            () -> {
                                while (true) {
                                    LockSupport.park(held);
                                }
                            },
                            THREAD_NAME)
                    .start();
        }
    }

    private static String realPath(Path directory) {
        try {
            return directory.toRealPath().toString();
        } catch (IOException simulatedOrGone) {
            return directory.toString();
        }
    }

    /** A subclass, because a thread of JDK 17 forgets its task when it has run. */
    private static final class Holder extends StoreThread {
        private final Object held;

        Holder(Making making, Object held) {
            super(making, THREAD_NAME);
            this.held = held;
        }

        @Override
        public void run() {
            LockSupport.setCurrentBlocker(held);
            LockSupport.setCurrentBlocker(null);
        }
    }
}
