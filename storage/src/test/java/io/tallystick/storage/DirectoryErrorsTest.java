package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Openings and closings of a directory that end with an Error, such as where memory runs out. */
@Timeout(120)
class DirectoryErrorsTest {
    private static final String KIND = "test-v1";

    @TempDir
    Path root;

    private final SystemDisk disk = new SystemDisk();

    private interface Action {
        void run(Disk disk, Path directory) throws IOException;
    }

    @Test
    void anErrorAtAnyStepOfTakingADirectoryLeavesNoLockBehind() throws IOException {
        sweep((failing, directory) ->
                StoreDirectory.take(failing, directory, KIND, false).close());
    }

    @Test
    void anErrorAtAnyStepOfClaimingADirectoryLeavesNoLockBehind() throws IOException {
        sweep((failing, directory) ->
                StoreDirectory.claim(failing, directory, true).close());
    }

    /** An Error at each operation of the action, one after the other. */
    private void sweep(Action action) throws IOException {
        for (int index = 0; ; index++) {
            Path directory = root.resolve("store-" + index);
            AtomicInteger left = new AtomicInteger(index);
            Error error = new OutOfMemoryError("planted");
            try {
                action.run(failing(left, error), directory);
                assertThat(index).as("operations").isGreaterThan(5);
                return;
            } catch (OutOfMemoryError planted) {
                assertThat(planted).isSameAs(error);
            }
            try (DiskLock lock = StoreDirectory.claim(disk, directory, true)) {
                assertThat(lock).as("after an Error at operation %d", index).isNotNull();
            }
        }
    }

    /** The disk, with an Error in place of an operation. */
    private Disk failing(AtomicInteger left, Error error) {
        return watched((operation, result) -> result, operation -> {
            if (left.getAndDecrement() == 0) {
                throw error;
            }
        });
    }

    /** The disk, with something done before each operation, and another result. */
    private Disk watched(BinaryOperator<Object> results, Consumer<String> before) {
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, arguments) -> {
                    before.accept(method.getName());
                    try {
                        return results.apply(method.getName(), method.invoke(disk, arguments));
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    @Test
    void whereTheReleaseFailsTooTheFirstFailureIsTold() {
        Error first = new OutOfMemoryError("planted");
        IOException second = new IOException("also planted");
        Optional<DiskLock> lock = Optional.of(() -> {
            throw second;
        });
        Disk breaking = watched((operation, result) -> operation.equals("tryLock") ? lock : result, operation -> {
            if (operation.equals("rename")) {
                throw first;
            }
        });

        assertThatThrownBy(() -> StoreDirectory.take(breaking, root, KIND, false))
                .isSameAs(first)
                .satisfies(told -> assertThat(told.getSuppressed()).containsExactly(second));
    }

    @Test
    void aClosingThatRunsOutOfMemoryKeepsTheLockAndTheNextOneTellsSo() throws Exception {
        AtomicBoolean isOut = new AtomicBoolean();
        // The closing copies the names of the properties, among which is the table of writes that are out.
        Properties before = System.getProperties();
        Properties failing = new Properties() {
            @Override
            public Set<String> stringPropertyNames() {
                if (isOut.get()) {
                    throw new OutOfMemoryError("planted");
                }
                return super.stringPropertyNames();
            }
        };
        failing.putAll(before);
        System.setProperties(failing);
        List<String> told = new ArrayList<>();
        Handler handler = collecting(told);
        Logger logger = Logger.getLogger(StoreDirectory.class.getName());
        logger.addHandler(handler);
        try {
            StoreDirectory owner = StoreDirectory.take(disk, root.resolve("store"), KIND, false);
            Path path = owner.path();
            UnansweredWrites.keep(path.resolve("segment"), new Object());
            isOut.set(true);
            assertThatThrownBy(owner::close).isInstanceOf(OutOfMemoryError.class);
            isOut.set(false);
            assertThat(told).isEmpty();

            owner.close();
            owner.close();

            assertThat(told).hasSize(1).first().asString().contains("TALLY0104");
            assertAnotherProcessIsRefused(path);
        } finally {
            System.setProperties(before);
            logger.removeHandler(handler);
        }
    }

    private static Handler collecting(List<String> messages) {
        return new Handler() {
            @Override
            public void publish(LogRecord logged) {
                messages.add(logged.getMessage());
            }

            @Override
            public void flush() {
                // nothing is buffered
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
    }

    @Test
    void anOwnerThatForgetsItsLockHasItUntilItsProcessEnds() throws Exception {
        StoreDirectory.take(disk, root, KIND, false).path();
        for (int i = 0; i < 10; i++) {
            System.gc();
        }
        assertAnotherProcessIsRefused(root);
    }

    /** Gives a write up when memory runs out, closes the directory, and tells what the next owner is told. */
    static final class NotNotedChild {
        private NotNotedChild() {}

        /** Closes and takes. */
        public static void main(String[] arguments) throws IOException {
            Path directory = Path.of(arguments[0]);
            StoreDirectory owner = StoreDirectory.take(new SystemDisk(), directory, KIND, false);
            Path file = (Path) Proxy.newProxyInstance(
                    Path.class.getClassLoader(), new Class<?>[] {Path.class}, (proxy, method, none) -> {
                        throw new OutOfMemoryError("planted");
                    });
            try {
                UnansweredWrites.keep(file, new Object());
            } catch (OutOfMemoryError planted) {
                System.out.println(planted.getMessage());
            }
            owner.close();
            try {
                StoreDirectory.take(new SystemDisk(), directory, KIND, false);
                System.out.println("taken");
            } catch (StoreDirectoryException refused) {
                System.out.println(refused.reason());
            }
        }
    }

    @Test
    void aWriteThatIsOutKeepsItsDirectoryAlthoughMemoryRanOutWhenItWasNoted() throws IOException {
        List<String> lines = new ArrayList<>();
        try (ChildJvm.Running child = ChildJvm.of(NotNotedChild.class)
                .withUmask("0022")
                .start(Files.createDirectory(root.resolve("store")).toString())) {
            for (String line = child.line(); line != null; line = child.line()) {
                lines.add(line);
            }
        }
        assertThat(lines).contains("planted").endsWith("UNANSWERED");
    }

    private static void assertAnotherProcessIsRefused(Path directory) throws IOException {
        List<String> lines = new ArrayList<>();
        try (ChildJvm.Running child = ChildJvm.of(StoreDirectoryTest.OwnerChild.class)
                .withUmask("0022")
                .start(directory.toString())) {
            for (String line = child.line(); line != null; line = child.line()) {
                lines.add(line);
                if (line.startsWith("taken")) {
                    break;
                }
            }
        }
        assertThat(lines).noneMatch(line -> line.startsWith("taken")).anyMatch(line -> line.contains("is in use by"));
    }
}
