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

/** What a store that was closed has left behind in this process: open files of its directory, and threads. */
final class Leaks {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final int PATIENCE_MILLIS = 3_000;
    private static final int PAUSE_MILLIS = 5;

    private final Path directory;
    private final Set<Thread> threadsBefore;

    private Leaks(Path directory) {
        this.directory = directory;
        this.threadsBefore = threads();
    }

    /** Notes what there is before stores are opened in that directory. */
    static Leaks of(Path directory) throws IOException {
        return new Leaks(directory.toRealPath());
    }

    /**
     * Gives what is ending a moment to end.
     *
     * @throws AssertionError something of a store that was closed is still there
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
                        // as it should be
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
