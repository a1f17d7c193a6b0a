package io.tallystick.durability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Puts the sources of the group commit under a {@link io.tallystick.testkit.schedule.Schedule}: what threads share becomes
 * what the scheduler sees. Each replacement must find something, so that a change of the sources cannot blind the explorer.
 */
final class Instrumentation {
    private static final String ENGINE = "store-journal/src/main/java/io/tallystick/store/journal/engine/";
    private static final String SCHEDULE = "io.tallystick.testkit.schedule.";

    private record Replacement(String file, String find, String replacement) {}

    private static final List<Replacement> REPLACEMENTS = List.of(
            new Replacement(
                    "AppendQueue.java",
                    "import java.util.concurrent.atomic.AtomicReference;",
                    "import " + SCHEDULE + "AtomicReference;"),
            new Replacement(
                    "WritePermits.java",
                    "import java.util.concurrent.atomic.AtomicInteger;",
                    "import " + SCHEDULE + "AtomicInteger;"),
            new Replacement(
                    "GroupCommit.java",
                    "import java.util.concurrent.atomic.AtomicInteger;",
                    "import " + SCHEDULE + "AtomicInteger;"),
            new Replacement(
                    "GroupCommit.java",
                    "import java.util.concurrent.atomic.AtomicReference;",
                    "import " + SCHEDULE + "AtomicReference;"),
            new Replacement(
                    "GroupCommit.java",
                    "import java.util.concurrent.locks.LockSupport;",
                    "import " + SCHEDULE + "LockSupport;"),
            new Replacement(
                    "GroupCommit.java",
                    "import java.util.concurrent.locks.ReentrantLock;",
                    "import " + SCHEDULE + "ReentrantLock;"),
            new Replacement("GroupCommit.java", "extends Thread {", "extends " + SCHEDULE + "ScheduledThread {"),
            new Replacement("GroupCommit.java", "        public void run() {", "        protected void body() {"),
            new Replacement("GroupCommit.java", "join();", "joinScheduled();"),
            new Replacement("GroupCommit.java", "isAlive()", "isAliveScheduled()"),
            new Replacement("GroupCommit.java", "System.nanoTime()", SCHEDULE + "Schedule.nanoTime()"),
            new Replacement(
                    "GroupCommit.java",
                    "return carry != null",
                    "return " + SCHEDULE + "Schedule.point() && carry != null"),
            new Replacement(
                    "Append.java",
                    "import java.util.concurrent.locks.LockSupport;",
                    "import " + SCHEDULE + "LockSupport;"),
            new Replacement(
                    "Append.java",
                    "if (STATE.compareAndSet(",
                    "if (" + SCHEDULE + "Schedule.point() && STATE.compareAndSet("),
            new Replacement(
                    "Append.java",
                    "        int before = (int) STATE.getAndSet(",
                    "        " + SCHEDULE + "Schedule.point();\n        int before = (int) STATE.getAndSet("),
            new Replacement(
                    "Append.java",
                    "return state >= DONE;",
                    "return " + SCHEDULE + "Schedule.point() && state >= DONE;"));

    private Instrumentation() {}

    /**
     * The instrumented sources, by their path below the root.
     *
     * @param bug one to plant first, or null
     */
    static Map<String, String> sources(Path root, PlantedBug bug) throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        for (Replacement replacement : REPLACEMENTS) {
            String file = ENGINE + replacement.file;
            String source = sources.get(file);
            if (source == null) {
                source = bug != null && bug.file().equals(file)
                        ? bug.plantedIn(root)
                        : Files.readString(root.resolve(file));
            }
            if (!source.contains(replacement.find)) {
                throw new IllegalStateException(
                        "the schedules see nothing any more: '" + replacement.find + "' is not in " + file);
            }
            sources.put(file, source.replace(replacement.find, replacement.replacement));
        }
        checkNothingIsUnseen(root, sources);
        return sources;
    }

    /** A class with atomics or locks of its own that is not among the sources would be invisible. */
    private static void checkNothingIsUnseen(Path root, Map<String, String> sources) throws IOException {
        try (Stream<Path> files = Files.list(root.resolve(ENGINE))) {
            for (Path file : files.sorted().toList()) {
                String name = ENGINE + file.getFileName();
                String source = sources.containsKey(name) ? sources.get(name) : Files.readString(file);
                if (source.contains("import java.util.concurrent.atomic.")
                        || source.contains("import java.util.concurrent.locks.")) {
                    throw new IllegalStateException("the schedules do not see what threads share in " + name);
                }
            }
        }
    }
}
