package io.tallystick.durability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Puts sources of a store under a {@link io.tallystick.testkit.schedule.Schedule}: what threads share becomes what the
 * scheduler sees. Each replacement must find something, so that a change of the sources cannot blind the explorer.
 *
 * @param scenario the class that runs them
 * @param directory where they are, below the project's root
 * @param replacements what is changed in them
 * @param unseen other sources beside them that have atomics: counters and pools, for which nobody waits
 */
record Instrumentation(String scenario, String directory, List<Replacement> replacements, Set<String> unseen) {
    private static final String SCHEDULE = "io.tallystick.testkit.schedule.";
    private static final String POINT = SCHEDULE + "Schedule.point()";

    /** The group commit that all journals share. */
    static final Instrumentation GROUP_COMMIT = new Instrumentation(
            "GroupCommitScenario",
            "store-journal/src/main/java/io/tallystick/store/journal/engine/",
            List.of(
                    atomic("AppendQueue.java", "AtomicReference"),
                    atomic("WritePermits.java", "AtomicInteger"),
                    atomic("GroupCommit.java", "AtomicInteger"),
                    atomic("GroupCommit.java", "AtomicReference"),
                    locks("GroupCommit.java", "LockSupport"),
                    locks("GroupCommit.java", "ReentrantLock"),
                    new Replacement(
                            "GroupCommit.java", "extends Thread {", "extends " + SCHEDULE + "ScheduledThread {"),
                    new Replacement(
                            "GroupCommit.java", "        public void run() {", "        protected void body() {"),
                    new Replacement("GroupCommit.java", "join();", "joinScheduled();"),
                    new Replacement("GroupCommit.java", "isAlive()", "isAliveScheduled()"),
                    new Replacement("GroupCommit.java", "System.nanoTime()", SCHEDULE + "Schedule.nanoTime()"),
                    new Replacement(
                            "GroupCommit.java", "return carry != null", "return " + POINT + " && carry != null"),
                    locks("Append.java", "LockSupport"),
                    new Replacement(
                            "Append.java", "if (STATE.compareAndSet(", "if (" + POINT + " && STATE.compareAndSet("),
                    new Replacement(
                            "Append.java",
                            "        int before = (int) STATE.getAndSet(",
                            "        " + POINT + ";\n        int before = (int) STATE.getAndSet("),
                    new Replacement("Append.java", "return state >= DONE;", "return " + POINT + " && state >= DONE;")),
            Set.of());

    /** The whole file store. */
    static final Instrumentation FILE_STORE = new Instrumentation(
            "FileStoreScenario",
            "store-file/src/main/java/io/tallystick/store/file/",
            List.of(
                    atomic("SyncRounds.java", "AtomicInteger"),
                    locks("SyncRounds.java", "LockSupport"),
                    locks("SyncRounds.java", "ReentrantLock"),
                    new Replacement(
                            "SyncRounds.java",
                            "import java.util.concurrent.CompletableFuture;",
                            "import " + SCHEDULE + "CompletableFuture;"),
                    new Replacement(
                            "SyncRounds.java",
                            "while (state == State.WAITING)",
                            "while (" + POINT + " && state == State.WAITING)"),
                    new Replacement("NameChange.java", "return begun;", "return " + POINT + " && begun;"),
                    atomic("FailStop.java", "AtomicReference"),
                    locks("Turn.java", "LockSupport"),
                    new Replacement(
                            "Turn.java",
                            "return view instanceof Held;",
                            "return " + POINT + " && view instanceof Held;"),
                    new Replacement(
                            "Turn.java",
                            "        Object next = SUCCESSOR.getAndSet(",
                            "        " + POINT + ";\n        Object next = SUCCESSOR.getAndSet("),
                    locks("OperationGate.java", "LockSupport"),
                    new Replacement(
                            "OperationGate.java",
                            "while (state.get() != CLOSED)",
                            "while (" + POINT + " && state.get() != CLOSED)"),
                    new Replacement(
                            "OperationGate.java",
                            "if (state.decrementAndGet() == CLOSED)",
                            "if (state.decrementAndGet() == CLOSED && " + POINT + ")"),
                    locks("TypeDirectories.java", "ReentrantLock"),
                    locks("IdleForcer.java", "LockSupport"),
                    new Replacement(
                            "IdleForcer.java",
                            "new Thread(this::run, \"tallystick-file-idle\")",
                            SCHEDULE + "Schedule.thread(this::run)"),
                    new Replacement("IdleForcer.java", "running.isAlive()", SCHEDULE + "Schedule.isAlive(running)"),
                    new Replacement(
                            "IdleForcer.java", "running.join();", SCHEDULE + "Schedule.joinInterruptibly(running);")),
            Set.of(
                    "AsyncWriters.java",
                    "OpenFiles.java",
                    "OperationGate.java",
                    "SpareFiles.java",
                    "StateFiles.java",
                    "TypeDirectories.java"));

    /** The whole journal store over the segmented engine. */
    static final Instrumentation SEGMENTED_STORE = new Instrumentation(
            "SegmentedStoreScenario",
            "store-journal/src/main/java/io/tallystick/store/journal/",
            Stream.concat(
                            GROUP_COMMIT.replacements.stream().map(replacement -> replacement.below("engine/")),
                            Stream.of(
                                    // A map lets nobody else at its entry meanwhile.
                                    new Replacement(
                                            "JournalStore.java",
                                            "index.compute(append.key(), step);",
                                            SCHEDULE + "Schedule.atomically(() -> index.compute(append.key(), step));"),
                                    new Replacement(
                                            "segmented/SegmentPool.java",
                                            "import java.util.concurrent.locks.ReentrantLock;",
                                            "import " + SCHEDULE + "ReentrantLock;\nimport " + SCHEDULE + "Schedule;"),
                                    locks("segmented/SegmentPool.java", "Condition"),
                                    new Replacement(
                                            "segmented/SegmentPool.java",
                                            "extends Thread {",
                                            "extends " + SCHEDULE + "ScheduledThread {"),
                                    new Replacement(
                                            "segmented/SegmentPool.java",
                                            "        public void run() {",
                                            "        protected void body() {"),
                                    new Replacement("segmented/SegmentPool.java", "join();", "joinScheduled();"),
                                    new Replacement(
                                            "segmented/SegmentPool.java",
                                            "latest.home() == segment && latest",
                                            "latest.home() == segment && Schedule.point() && latest"),
                                    new Replacement("segmented/SegmentPool.java", "isAlive()", "isAliveScheduled()")))
                    .toList(),
            Set.of("JournalStore.java", "segmented/Segment.java", "segmented/SegmentPool.java"));

    /**
     * A change of a source.
     *
     * @param file its name
     * @param find what is there
     * @param replacement what takes its place
     */
    record Replacement(String file, String find, String replacement) {
        private Replacement below(String path) {
            return new Replacement(path + file, find, replacement);
        }
    }

    private static Replacement atomic(String file, String type) {
        return new Replacement(
                file, "import java.util.concurrent.atomic." + type + ";", "import " + SCHEDULE + type + ";");
    }

    private static Replacement locks(String file, String type) {
        return new Replacement(
                file, "import java.util.concurrent.locks." + type + ";", "import " + SCHEDULE + type + ";");
    }

    /**
     * The instrumented sources, by their path below the root.
     *
     * @param bug one to plant first, or null
     */
    Map<String, String> sources(Path root, PlantedBug bug) throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        for (Replacement replacement : replacements) {
            String file = directory + replacement.file;
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
    private void checkNothingIsUnseen(Path root, Map<String, String> sources) throws IOException {
        Set<Path> directories = new TreeSet<>();
        sources.keySet().forEach(name -> directories.add(root.resolve(name).getParent()));
        for (Path each : directories) {
            checkNothingIsUnseen(root, each, sources);
        }
    }

    private void checkNothingIsUnseen(Path root, Path within, Map<String, String> sources) throws IOException {
        try (Stream<Path> files = Files.list(within)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                String name = root.relativize(file).toString();
                String source = sources.containsKey(name) ? sources.get(name) : Files.readString(file);
                boolean hasLocks = source.contains("import java.util.concurrent.locks.");
                boolean hasAtomics = source.contains("import java.util.concurrent.atomic.");
                if (hasLocks || hasAtomics && !unseen.contains(name.substring(directory.length()))) {
                    throw new IllegalStateException("the schedules do not see what threads share in " + name);
                }
            }
        }
    }
}
