package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A hand has removed the lock file of a store. */
@Timeout(120)
class RemovedLockTest {
    private static final String KIND = "test-v1";
    private static final Disk DISK = new SystemDisk();

    @TempDir
    Path root;

    private Path directory;
    private Path failed;
    private Path asked;

    @BeforeEach
    void placeFiles() {
        directory = root.resolve("store");
        failed = root.resolve("failed");
        asked = root.resolve("asked");
    }

    @Test
    void theNextOwnerComesAfterALivingOneHasFailed() throws IOException {
        assertWaitsForALivingOwner(
                () -> StoreDirectory.take(DISK, directory, KIND, true).close());
    }

    @Test
    void aRepairComesAfterALivingOwnerHasFailed() throws IOException {
        assertWaitsForALivingOwner(
                () -> StoreDirectory.claim(DISK, directory, false).close());
    }

    private interface Taking {
        void takeAndGiveBack() throws IOException;
    }

    private void assertWaitsForALivingOwner(Taking taking) throws IOException {
        try (ChildJvm.Running owner = owner()) {
            assertThat(owner.line()).isEqualTo(Owner.TAKEN);
            Files.delete(directory.resolve(StoreDirectory.LOCK_FILE));

            taking.takeAndGiveBack();

            assertThat(failed).exists();
        }
    }

    private ChildJvm.Running owner() throws IOException {
        return ChildJvm.of(Owner.class)
                .withErrorsApart()
                .start(directory.toString(), failed.toString(), asked.toString());
    }

    /** While it stood still, it could not notice that. It is asked before its own watch can have looked. */
    @Test
    @EnabledOnOs(
            value = {OS.LINUX, OS.MAC},
            disabledReason = "skipped: no process can be stopped there")
    void anOwnerThatStoodStillAcknowledgesNothingBesideTheNextOne() throws Exception {
        try (ChildJvm.Running owner = owner()) {
            assertThat(owner.line()).isEqualTo(Owner.TAKEN);
            Files.createFile(asked);
            assertThat(owner.line()).isEqualTo(Owner.ACKNOWLEDGED);
            signal("STOP", owner);
            Files.delete(directory.resolve(StoreDirectory.LOCK_FILE));

            StoreDirectory next = StoreDirectory.take(DISK, directory, KIND, true);
            try (next) {
                Files.createFile(asked);
                signal("CONT", owner);
                assertThat(owner.line()).isEqualTo(Owner.REFUSED);
            }
        }
    }

    private static void signal(String name, ChildJvm.Running process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void aStartThatWaitsIsRefusedAsSoonAsAnotherOneHasTheDirectory() throws Exception {
        StoreDirectory.take(DISK, root, KIND, false).close();
        Path file = root.resolve(StoreDirectory.LOCK_FILE);
        Files.delete(file);
        ScheduledExecutorService another = Executors.newSingleThreadScheduledExecutor();
        try {
            var taking = another.schedule(() -> DISK.tryLock(file), 200, TimeUnit.MILLISECONDS);

            assertThatThrownBy(() -> StoreDirectory.take(DISK, root, KIND, true))
                    .isInstanceOf(StoreDirectoryException.class)
                    .hasMessageContaining("is in use by");

            taking.get().orElseThrow().close();
        } finally {
            another.shutdownNow();
        }
    }

    /**
     * A process with a store that fails stop when it is told of a loss, and then makes a file. It acknowledges whenever
     * the file that asks for it is there.
     */
    static final class Owner {
        private static final String TAKEN = "taken";
        private static final String ACKNOWLEDGED = "acknowledged";
        private static final String REFUSED = "refused";
        private static final long PAUSE_NANOS = 100_000;

        private Owner() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            StoreDirectory taken = StoreDirectory.take(DISK, Path.of(arguments[0]), KIND, false);
            Path failed = Path.of(arguments[1]);
            taken.watch().start("place-of-owner", new NoFilesInUse() {
                @Override
                public void placeIsLost(PlaceLostException loss) {
                    try {
                        Files.createFile(failed);
                    } catch (IOException unexpected) {
                        throw new IllegalStateException(unexpected);
                    }
                }
            });
            System.out.println(TAKEN);
            Path asked = Path.of(arguments[2]);
            try {
                while (true) { // the test ends this process
                    LockSupport.parkNanos(PAUSE_NANOS);
                    if (Files.deleteIfExists(asked)) {
                        taken.watch().checkAfterStandstill();
                        System.out.println(ACKNOWLEDGED);
                    }
                }
            } catch (PlaceLostException lost) {
                System.out.println(REFUSED);
            }
            new CountDownLatch(1).await();
        }
    }
}
