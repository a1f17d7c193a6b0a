package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An owner keeps its lock, by whatever name its lock file is opened once more, and whatever became of the table of
 * locks.
 */
@Timeout(120)
class LockNamesTest {
    private static final String KIND = "test-v1";

    @TempDir
    Path root;

    private final SystemDisk disk = new SystemDisk(Duration.ofMillis(50));
    private Path store;
    private Path lockFile;

    @BeforeEach
    void makeStore() throws IOException {
        store = root.resolve("store");
        StoreDirectory.take(disk, store, KIND, false).close();
        lockFile = store.resolve(StoreDirectory.LOCK_FILE);
    }

    @Test
    void takingADirectoryWithAHardLinkOfTheLockFileTakesNoLockFromTheOwner() throws IOException {
        Path other = Files.createDirectory(root.resolve("other"));
        try (StoreDirectory owner = StoreDirectory.take(disk, store, KIND, true)) {
            Files.createLink(other.resolve(StoreDirectory.LOCK_FILE), lockFile);

            assertRefused(other);
            assertAnotherProcessIsRefused(owner.path());
        }
        StoreDirectory.take(disk, other, KIND, false).close();
    }

    @Test
    void aGlanceAtAHardLinkOfTheLockFileTakesNoLockFromTheOwner() throws IOException {
        Path link = root.resolve("link");
        try (StoreDirectory owner = StoreDirectory.take(disk, store, KIND, true)) {
            Files.createLink(link, lockFile);

            assertThat(disk.isLocked(link)).isTrue();
            assertAnotherProcessIsRefused(owner.path());
        }
        assertThat(disk.isLocked(link)).isFalse();
    }

    @Test
    void takingADirectoryThatWasRenamedWhileItIsOpenTakesNoLockFromTheOwner() throws IOException {
        StoreDirectory owner = StoreDirectory.take(disk, store, KIND, true);
        Path moved = Files.move(store, root.resolve("moved"));
        try (owner) {
            assertRefused(moved);
            assertAnotherProcessIsRefused(moved);
        }
        StoreDirectory.take(disk, moved, KIND, true).close();
    }

    @Test
    void aLockFileThatGetsASecondNameAndAnOwnerWhileItIsMadeIsNotClosed() throws IOException {
        Path first = root.resolve("first");
        Path second = root.resolve("second");
        SystemLocks locks = new SystemLocks(Duration.ofMillis(50));
        List<DiskLock> owner = new ArrayList<>();

        Optional<DiskLock> refused = locks.tryLock(first, opener(() -> {
            Files.createLink(second, first);
            disk.tryLock(second).ifPresent(owner::add);
        }));

        assertThat(refused).isEmpty();
        assertThat(owner).hasSize(1);
        try (ChildJvm.Running child =
                ChildJvm.of(LooksChild.class).withUmask("0022").start(second.toString())) {
            assertThat(child.line()).isEqualTo("locked true");
        }
        owner.get(0).close();
        locks.tryLock(first, opener(() -> {})).orElseThrow().close();
    }

    /** Prints whether its argument is locked. */
    static final class LooksChild {
        private LooksChild() {}

        /** Looks. */
        public static void main(String[] arguments) throws IOException {
            System.out.println("locked " + new SystemDisk().isLocked(Path.of(arguments[0])));
        }
    }

    @Test
    void anOwnerKeepsItsLockWhenTheSystemPropertiesAreReplaced() throws IOException {
        Properties before = System.getProperties();
        try (StoreDirectory owner = StoreDirectory.take(disk, store, KIND, true)) {
            System.setProperties(withoutLocks(before));

            assertRefused(store);
            assertThat(disk.isLocked(lockFile)).isTrue();
            assertAnotherProcessIsRefused(owner.path());
        } finally {
            System.setProperties(before);
        }
        StoreDirectory.take(disk, store, KIND, true).close();
    }

    @Test
    void anEarlierCopyOfTheSystemPropertiesDoesNotLockAStoreThatWasClosed() throws IOException {
        Properties before = System.getProperties();
        Properties copy = new Properties();
        try (StoreDirectory owner = StoreDirectory.take(disk, store, KIND, true)) {
            assertThat(owner.isNew()).isFalse();
            copy.putAll(before);
        }
        System.setProperties(copy);
        try {
            StoreDirectory.take(disk, store, KIND, true).close();
        } finally {
            System.setProperties(before);
        }
    }

    @Test
    void copiesOfTheLibraryInOtherClassLoadersTakeNoLockFromTheOwnerWhenTheTableIsLost() throws Exception {
        Properties before = System.getProperties();
        try (URLClassLoader loader = isolated()) {
            try (StoreDirectory owner = StoreDirectory.take(disk, store, KIND, true)) {
                System.setProperties(withoutLocks(before));
                long open = openLockFiles();
                for (int attempt = 0; attempt < 5; attempt++) {
                    assertThat(takenBy(loader)).isEqualTo("LOCKED");
                    assertThat(isLockedBy(loader)).isTrue();
                }
                assertThat(openLockFiles() - open)
                        .as("lock files that stay open")
                        .isLessThanOrEqualTo(2);
                assertAnotherProcessIsRefused(owner.path());
                System.setProperties(before);
            }
            assertThat(takenBy(loader)).isEqualTo("taken");
            assertThat(isLockedBy(loader)).isFalse();
        } finally {
            System.setProperties(before);
        }
    }

    @Test
    void aWriteThatIsOutKeepsItsDirectoryWhenTheSystemPropertiesAreReplaced() throws IOException {
        Properties before = System.getProperties();
        try {
            StoreDirectory owner = StoreDirectory.take(disk, store, KIND, true);
            UnansweredWrites.keep(owner.path().resolve("segment"), new Object());
            System.setProperties(withoutLocks(before));
            owner.close();

            assertThat(refusal(store).reason()).isEqualTo(Reason.UNANSWERED);
            assertAnotherProcessIsRefused(store);
        } finally {
            System.setProperties(before);
        }
    }

    @Test
    void aWriteThatIsOutKeepsADirectoryThatWasMovedBehindALink() throws IOException {
        StoreDirectory owner = StoreDirectory.take(disk, store, KIND, true);
        Path moved = Files.move(store, root.resolve("moved"));
        Files.createSymbolicLink(store, moved);
        UnansweredWrites.keep(owner.path().resolve("segment"), new Object());
        owner.close();

        assertThat(refusal(moved).reason()).isEqualTo(Reason.UNANSWERED);
        assertAnotherProcessIsRefused(moved);
    }

    @Test
    void aRefusalSaysThatAnotherClassLoaderOfThisProcessHasTheStore() throws Exception {
        try (URLClassLoader application = isolated();
                AutoCloseable owner = (AutoCloseable) take(application)) {
            assertThat(owner).isNotNull();
            assertThat(refusal(store))
                    .hasMessageContainingAll(
                            "is in use by pid=" + ProcessHandle.current().pid(),
                            "an earlier application of this process",
                            "start this process again");
        }
        try (StoreDirectory own = StoreDirectory.take(disk, store, KIND, true)) {
            assertThat(refusal(own.path()))
                    .hasMessageContaining("is in use by pid=")
                    .hasMessageNotContaining("earlier application");
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Opens a lock file, and does something else before it returns. */
    private static LockFile.Opener opener(Step afterwards) {
        return new LockFile.Opener() {
            @Override
            public FileChannel open(Path file) throws IOException {
                FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                afterwards.run();
                return channel;
            }

            @Override
            public void giveToOwner(Path file) {
                // the umask of the test does
            }
        };
    }

    private static Properties withoutLocks(Properties properties) {
        Properties copy = new Properties();
        properties.stringPropertyNames().stream()
                .filter(name -> !name.startsWith("io.tallystick.storage"))
                .forEach(name -> copy.setProperty(name, properties.getProperty(name)));
        return copy;
    }

    /** A class loader with a copy of the library of its own. */
    private static URLClassLoader isolated() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    /** What comes of taking the store, and giving it up at once, with the classes of this loader. */
    private String takenBy(ClassLoader loader) throws ReflectiveOperationException {
        try {
            ((AutoCloseable) take(loader)).close();
            return "taken";
        } catch (InvocationTargetException refused) {
            Throwable cause = refused.getCause();
            return cause.getClass().getMethod("reason").invoke(cause).toString();
        } catch (ReflectiveOperationException broken) {
            throw broken;
        } catch (Exception unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private Object take(ClassLoader loader) throws ReflectiveOperationException {
        return loader.loadClass(StoreDirectory.class.getName())
                .getMethod("take", loader.loadClass(Disk.class.getName()), Path.class, String.class, boolean.class)
                .invoke(null, diskOf(loader), store, KIND, true);
    }

    private boolean isLockedBy(ClassLoader loader) throws ReflectiveOperationException {
        Object other = diskOf(loader);
        return (boolean) other.getClass().getMethod("isLocked", Path.class).invoke(other, lockFile);
    }

    private static Object diskOf(ClassLoader loader) throws ReflectiveOperationException {
        return loader.loadClass(SystemDisk.class.getName()).getConstructor().newInstance();
    }

    private long openLockFiles() throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(descriptors), "skipped: no /proc/self/fd to count open files in");
        Path real = lockFile.toRealPath();
        try (Stream<Path> links = Files.list(descriptors)) {
            return links.filter(link -> {
                        try {
                            return Files.readSymbolicLink(link).equals(real);
                        } catch (IOException closedMeanwhile) {
                            return false;
                        }
                    })
                    .count();
        }
    }

    private StoreDirectoryException refusal(Path directory) {
        return catchThrowableOfType(
                StoreDirectoryException.class, () -> StoreDirectory.take(disk, directory, KIND, false));
    }

    private void assertRefused(Path directory) {
        assertThat(refusal(directory))
                .isNotNull()
                .extracting(StoreDirectoryException::reason)
                .isEqualTo(Reason.LOCKED);
    }

    private static void assertAnotherProcessIsRefused(Path directory) throws IOException {
        try (ChildJvm.Running child = ChildJvm.of(StoreDirectoryTest.OwnerChild.class)
                .withUmask("0022")
                .start(directory.toString())) {
            List<String> lines = new ArrayList<>();
            String line = child.line();
            while (line != null && !line.startsWith("taken")) {
                lines.add(line);
                line = child.line();
            }
            assertThat(line).as("another process").isNull();
            assertThat(lines).anyMatch(each -> each.contains("is in use by"));
        }
    }
}
