package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Openers that meet a glance at the lock, which another process or thread was stopped in. */
@Timeout(120)
class LockGlanceTest {
    private static final String KIND = "test-v1";

    @TempDir
    Path root;

    private Path lockFile;

    @BeforeEach
    void makeStore() throws IOException {
        StoreDirectory.take(new SystemDisk(), root, KIND, false).close();
        lockFile = root.toRealPath().resolve(StoreDirectory.LOCK_FILE);
    }

    /** Has a shared lock on its argument until it is told to end. */
    static final class GlancingChild {
        private GlancingChild() {}

        public static void main(String[] arguments) throws IOException {
            try (FileChannel channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.READ);
                    FileLock shared = channel.lock(0, Long.MAX_VALUE, true)) {
                System.out.println("looking " + shared.isShared());
                System.in.read();
            }
        }
    }

    @Test
    void anOpenerWaitsForAGlanceOfAnotherProcess() throws Exception {
        try (ChildJvm.Running child =
                ChildJvm.of(GlancingChild.class).withUmask("0022").start(lockFile.toString())) {
            assertThat(child.line()).isEqualTo("looking true");
            FutureTask<Boolean> opening =
                    started(() -> isTaken(new SystemDisk(Duration.ofMinutes(1))), Thread.State.TIMED_WAITING);

            child.kill();

            assertThat(opening.get(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void anOpenerDoesNotWaitForAGlanceThatNeverEnds() throws Exception {
        try (ChildJvm.Running child =
                ChildJvm.of(GlancingChild.class).withUmask("0022").start(lockFile.toString())) {
            assertThat(child.line()).isEqualTo("looking true");
            assertThatThrownBy(() -> isTaken(new SystemDisk(Duration.ofMillis(50))))
                    .hasMessageContaining("is in use by");
        }
    }

    @Test
    void anOpenerWaitsForAGlanceOfThisProcessAndNotForOneThatNeverEnds() throws Exception {
        String registration = "io.tallystick.storage.lock:" + lockFile;
        System.setProperty(registration, "looked at");
        try {
            assertThatThrownBy(() -> isTaken(new SystemDisk(Duration.ofMillis(50))))
                    .hasMessageContaining("is in use by");
            assertThat(new SystemDisk(Duration.ofMillis(50)).isLocked(lockFile)).isTrue();
            FutureTask<Boolean> opening =
                    started(() -> isTaken(new SystemDisk(Duration.ofMinutes(1))), Thread.State.TIMED_WAITING);
            System.clearProperty(registration);
            assertThat(opening.get(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            System.clearProperty(registration);
        }
    }

    @Test
    void anOwnerIsNotWaitedFor() throws Exception {
        try (ChildJvm.Running child = ChildJvm.of(StoreDirectoryTest.OwnerChild.class)
                .withUmask("0022")
                .start(root.toString())) {
            assertThat(child.line()).isEqualTo("taken new=false");
            assertThatThrownBy(() -> isTaken(new SystemDisk(Duration.ofDays(1))))
                    .hasMessageContaining("is in use by pid=" + child.pid());
        }
    }

    @Test
    void glancesAndOpenersThatMeetNeverRefuseEachOther() throws Exception {
        SystemDisk disk = new SystemDisk(Duration.ofMinutes(1));
        try (ChildJvm.Running child =
                ChildJvm.of(GlancesChild.class).withUmask("0022").start(lockFile.toString())) {
            assertThat(child.line()).isEqualTo("looking");
            for (int round = 0; round < 200; round++) {
                assertThat(isTaken(disk)).isTrue();
            }
        }
    }

    /** Looks at the lock again and again. */
    static final class GlancesChild {
        private GlancesChild() {}

        public static void main(String[] arguments) throws IOException {
            SystemDisk disk = new SystemDisk();
            disk.isLocked(Path.of(arguments[0]));
            System.out.println("looking");
            while (true) {
                disk.isLocked(Path.of(arguments[0]));
            }
        }
    }

    @Test
    void aLockThatIsNotThereIsNotHeldAndNotMade() throws IOException {
        Path missing = root.resolve("missing").resolve("lock");

        assertThat(new SystemDisk().isLocked(missing)).isFalse();
        assertThat(Files.exists(missing.getParent())).isFalse();
    }

    @Test
    void anInterruptedOpenerWaitsAllTheSame() throws Exception {
        SystemDisk disk = new SystemDisk(Duration.ofMillis(200));
        System.setProperty("io.tallystick.storage.lock:" + lockFile, "looked at");
        Optional<DiskLock> lock;
        Thread.currentThread().interrupt();
        try {
            lock = disk.tryLock(lockFile);
        } finally {
            System.clearProperty("io.tallystick.storage.lock:" + lockFile);
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(lock).isEmpty();
    }

    private boolean isTaken(Disk disk) throws IOException {
        try (StoreDirectory taken = StoreDirectory.take(disk, root, KIND, true)) {
            return taken.path() != null;
        }
    }

    /** A call on a thread of its own, which has ended or reached this state. */
    private static <T> FutureTask<T> started(Callable<T> call, Thread.State state) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "opener");
        thread.start();
        while (!task.isDone() && thread.getState() != state) {
            Thread.onSpinWait();
        }
        return task;
    }
}
