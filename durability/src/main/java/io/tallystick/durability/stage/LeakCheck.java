package io.tallystick.durability.stage;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Finds open files and threads that a closed store has left in this process. */
final class LeakCheck {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final int PATIENCE_MILLIS = 3_000;
    private static final int PAUSE_MILLIS = 5;

    private final Path directory;
    private final Set<Thread> threadsBefore;

    private LeakCheck(Path directory) {
        this.directory = directory;
        this.threadsBefore = threads();
    }

    /** Records the threads of the process before stores are opened in that directory. */
    static LeakCheck of(Path directory) throws IOException {
        return new LeakCheck(directory.toRealPath());
    }

    /**
     * Checks that closed stores have left no open file and no thread. It waits a moment for those that are just ending.
     *
     * @throws AssertionError a file or a thread of a closed store is still there
     */
    void check() throws IOException, InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        List<String> left = left();
        while (!left.isEmpty() && System.nanoTime() < deadlineNanos) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            left = left();
        }
        if (!left.isEmpty()) {
            throw new AssertionError("I13 space violated: after every store was closed there are still " + left);
        }
    }

    private List<String> left() throws IOException {
        List<String> left = new ArrayList<>();
        if (Files.isDirectory(DESCRIPTORS)) {
            try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
                for (Path descriptor : descriptors) {
                    try {
                        Path target = Files.readSymbolicLink(descriptor);
                        if (target.startsWith(directory)) {
                            left.add("open file " + target);
                        }
                    } catch (IOException closedMeanwhile) {
                        // the descriptor was closed meanwhile
                    }
                }
            }
        }
        for (Thread thread : threads()) {
            if (!threadsBefore.contains(thread)
                    && thread.getName().toLowerCase(Locale.ROOT).contains("tallystick")) {
                left.add("thread " + thread.getName());
            }
        }
        return left;
    }

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }
}
