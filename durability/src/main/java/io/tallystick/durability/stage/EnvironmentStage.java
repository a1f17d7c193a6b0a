package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.subject.SubjectProcess;
import io.tallystick.durability.system.Directories;
import io.tallystick.durability.system.Signals;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.process.StoreProcess;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Failures of a process that its disk does not cause. Callers are interrupted, memory runs out in the middle of a disk
 * operation, and a second process opens the same directory. A link replaces a file, the process is stopped and
 * continued, and a store is opened and closed many times.
 */
public final class EnvironmentStage implements Stage {
    private static final String CASES = "cases";
    /** Longer than an owner waits for callers before it writes that the last batch is on disk, milliseconds. */
    private static final int IDLE_MILLIS = 800;

    private static final int INTERRUPTS = 600;
    private static final int OPENINGS = 60;
    private static final int MAX_OPERATION = 200;
    private static final int STOPPED_MILLIS = 150;
    private static final List<String> OPERATIONS_THAT_ALLOCATE =
            List.of("open", "read", "readFully", "write", "writeFully", "force", "rename", "delete");
    private static final String LOCK_FILE = "tallystick.lock";
    private static final StateKey KEY = StateKey.of("/Environment", ObjectId.of(new byte[] {0, 0, 0, 1, 0, 0, 0, 2}));

    /** The kinds of cases. */
    private enum Kind {
        INTERRUPTS,
        OPENINGS,
        SECOND_OPENER,
        LINKS,
        STOPPED,
        OUT_OF_MEMORY
    }

    @Override
    public String name() {
        return "environment";
    }

    @Override
    public String description() {
        return "interrupts, OutOfMemoryError, second openers, links, SIGSTOP, opening and closing";
    }

    @Override
    public String unit() {
        return CASES;
    }

    @Override
    public long quickCount() {
        return 9;
    }

    @Override
    public long fullCount() {
        return 1_200;
    }

    /** The leak check compares the threads of the process before and after. */
    @Override
    public boolean toleratesOthers() {
        return false;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) && subject.is(Trait.WHOLE_CONTRACT)
                ? Optional.empty()
                : Optional.of("it has no directory, or makes no promise about these cases");
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        // Even a few cases of a store are of as many kinds as possible.
        int offset = Math.floorMod(subject.name().hashCode(), Kind.values().length);
        return seed -> {
            Kind kind = Kind.values()[(int) Math.floorMod(seed + offset, (long) Kind.values().length)];
            Path directory = Files.createTempDirectory(scratch, "environment-").toRealPath();
            try {
                Counts counts = new Case(subject, directory, seed).run(kind);
                Directories.delete(directory);
                return counts;
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError(kind + ": " + broken.getMessage(), broken);
            }
        };
    }

    /** One case in a directory of its own. */
    private static final class Case {
        private final Subject subject;
        private final Path root;
        private final Path directory;
        private final long seed;
        private final Random random;
        private final Oracle oracle = new Oracle();

        Case(Subject subject, Path root, long seed) {
            this.subject = subject;
            this.root = root;
            this.directory = root.resolve("store");
            this.seed = seed;
            this.random = new Random(seed);
        }

        Counts run(Kind kind) throws Exception {
            Counts counts = Counts.of(CASES, 1);
            return switch (kind) {
                case INTERRUPTS -> counts.and("interrupts", interrupts());
                case OPENINGS -> counts.and("openings", openings());
                case SECOND_OPENER -> counts.and("second openers", secondOpeners());
                case LINKS -> counts.and("links", links());
                case STOPPED -> counts.and("stops", stops());
                case OUT_OF_MEMORY -> counts.and("out of memory", outOfMemory());
            };
        }

        private long interrupts() throws Exception {
            try (ObjectStore watched = oracle.watch(subject.open(directory))) {
                Torture load = Torture.begin(subject, watched, seed);
                for (int i = 0; i < INTERRUPTS; i++) {
                    load.interruptOne(random);
                    if (i % 4 == 0) {
                        TimeUnit.MICROSECONDS.sleep(random.nextInt(300));
                    }
                }
                load.stop();
                load.awaitEnd();
                if (watched.failure().isPresent()) {
                    throw new AssertionError("I12 liveness violated: interrupted callers have ended the store: "
                            + watched.failure().get());
                }
            }
            checkRecovered();
            return INTERRUPTS;
        }

        private long openings() throws Exception {
            Files.createDirectories(directory);
            LeakCheck leaks = LeakCheck.of(root);
            for (int i = 0; i < OPENINGS; i++) {
                try (ObjectStore store = subject.open(directory)) {
                    oracle.checkRecovered(store);
                    byte[] state = new byte[random.nextInt(700)];
                    oracle.watch(store).write(KEY, state, i % 2 == 0 ? Durability.FORCED : Durability.DEFERRED);
                }
            }
            checkRecovered();
            leaks.check();
            return OPENINGS;
        }

        private long secondOpeners() throws Exception {
            Path link = Files.createSymbolicLink(root.resolve("link"), directory);
            try (ObjectStore watched = oracle.watch(subject.open(directory))) {
                watched.write(KEY, new byte[100], Durability.FORCED);
                Map<String, Integer> before = contentsAtRest();
                mustBeLocked("a second opener in the same process", () -> subject.open(directory));
                mustBeRefused("an opener by another name in the same process", () -> subject.open(link));
                mustBeLocked("a second process", () -> other(directory));
                if (!before.equals(contents())) {
                    throw new AssertionError("I11 one owner violated: a second opener has changed bytes");
                }
                watched.write(KEY, new byte[200], Durability.FORCED);
            }
            checkRecovered();
            return 3;
        }

        private ObjectStore other(Path path) {
            try {
                return SubjectProcess.start(subject, path);
            } catch (IOException broken) {
                throw new IllegalStateException(broken);
            }
        }

        /** A way to open a store. */
        private interface Opening {
            ObjectStore open();
        }

        private static StoreException mustBeRefused(String who, Opening opening) {
            ObjectStore opened;
            try {
                opened = opening.open();
            } catch (StoreException refused) {
                return refused;
            }
            opened.close();
            throw new AssertionError("I11 one owner violated: " + who + " opened the store");
        }

        private static void mustBeLocked(String who, Opening opening) {
            StoreException refused = mustBeRefused(who, opening);
            if (!(refused instanceof StoreLockedException)) {
                throw new AssertionError("I11 one owner violated: " + who + " was told " + refused, refused);
            }
        }

        /** The contents when the owner has written what it writes when it is idle. */
        private Map<String, Integer> contentsAtRest() throws IOException, InterruptedException {
            Map<String, Integer> contents = contents();
            Map<String, Integer> before;
            do {
                before = contents;
                TimeUnit.MILLISECONDS.sleep(IDLE_MILLIS);
                contents = contents();
            } while (!contents.equals(before));
            return contents;
        }

        /** The bytes of each file, as a hash. */
        private Map<String, Integer> contents() throws IOException {
            Map<String, Integer> contents = new TreeMap<>();
            for (Path file : files()) {
                if (file.endsWith(LOCK_FILE)) {
                    continue; // closing any channel of this file would release the lock of the process
                }
                contents.put(file.toString(), Arrays.hashCode(Files.readAllBytes(file)));
            }
            return contents;
        }

        private List<Path> files() throws IOException {
            try (Stream<Path> files = Files.walk(directory)) {
                return files.filter(Files::isRegularFile).sorted().toList();
            }
        }

        private long links() throws Exception {
            try (ObjectStore watched = oracle.watch(subject.open(directory))) {
                watched.write(KEY, new byte[100], Durability.FORCED);
            }
            List<Path> files = files();
            Path file = files.get(random.nextInt(files.size()));
            Path elsewhere = Files.move(file, root.resolve("elsewhere"));
            Files.createSymbolicLink(file, elsewhere);
            int before = Arrays.hashCode(Files.readAllBytes(elsewhere));
            try (ObjectStore opened = subject.open(directory)) {
                if (Files.isSymbolicLink(file)) {
                    throw new AssertionError("a link was followed: " + file.getFileName()
                            + " is a link, and the store is open: " + opened.types());
                }
            } catch (StoreException refused) {
                // the store refused the link
            }
            if (before != Arrays.hashCode(Files.readAllBytes(elsewhere))) {
                throw new AssertionError("a link was followed: the target of " + file.getFileName() + " was changed");
            }
            Files.delete(file);
            Files.move(elsewhere, file);
            checkRecovered();
            return 1;
        }

        private long stops() throws Exception {
            TorturedStore store = new TorturedStore(subject, directory);
            try {
                store.open();
                Torture load = store.beginLoad(seed);
                StoreProcess process = store.process();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(100));
                Signals.send("STOP", process.process());
                TimeUnit.MILLISECONDS.sleep(STOPPED_MILLIS);
                Signals.send("CONT", process.process());
                TimeUnit.MILLISECONDS.sleep(random.nextInt(50));
                load.stop();
                load.awaitEnd();
                store.close();
                store.open();
            } finally {
                store.abandon();
            }
            return 1;
        }

        /** Memory runs out in the middle of a disk operation, on any thread of the store. */
        private long outOfMemory() throws Exception {
            if (!subject.is(Trait.ANY_DISK)) {
                return 0;
            }
            AtomicInteger left = new AtomicInteger(1 + random.nextInt(MAX_OPERATION));
            ObjectStore store;
            try {
                store = subject.open(withoutMemory(left), directory);
            } catch (StoreException | OutOfMemoryError refused) {
                checkRecovered();
                return 1;
            }
            ObjectStore watched = oracle.watch(store);
            Torture load = Torture.begin(subject, watched, seed);
            load.disasterBegins();
            TimeUnit.MILLISECONDS.sleep(100);
            load.stop();
            load.awaitEnd();
            if (left.get() <= 0) {
                mustEnd(store);
            }
            try {
                watched.close();
            } catch (StoreException told) {
                // the store may report that it has failed
            }
            checkRecovered();
            return 1;
        }

        /** A thread of the store that died must not leave callers waiting: a write returns or throws. */
        private static void mustEnd(ObjectStore store) throws InterruptedException {
            Thread caller = new Thread(
                    () -> {
                        try {
                            store.read(KEY);
                            store.force();
                        } catch (StoreException told) {
                            // an exception ends the call too
                        }
                    },
                    "caller");
            caller.setDaemon(true);
            caller.start();
            caller.join(TimeUnit.SECONDS.toMillis(10));
            if (caller.isAlive()) {
                throw new AssertionError(
                        "I12 liveness violated: a caller waits for a thread that ran out of memory, in "
                                + List.of(caller.getStackTrace()));
            }
        }

        private void checkRecovered() {
            try (ObjectStore store = subject.open(directory)) {
                oracle.checkRecovered(store);
                oracle.watch(store).write(KEY, new byte[300], Durability.FORCED);
            }
            try (ObjectStore store = subject.open(directory)) {
                oracle.checkRecovered(store);
            }
        }
    }

    private static Disk withoutMemory(AtomicInteger left) {
        return failing(Disk.class, new SystemDisk(), left);
    }

    private static <T> T failing(Class<T> type, T honest, AtomicInteger left) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (OPERATIONS_THAT_ALLOCATE.contains(method.getName()) && left.decrementAndGet() == 0) {
                        throw new OutOfMemoryError("Java heap space, says the test");
                    }
                    Object result = invoke(method, honest, arguments);
                    return result instanceof DiskFile file ? failing(DiskFile.class, file, left) : result;
                }));
    }

    private static Object invoke(Method method, Object honest, Object[] arguments) throws Throwable {
        try {
            return method.invoke(honest, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }
}
