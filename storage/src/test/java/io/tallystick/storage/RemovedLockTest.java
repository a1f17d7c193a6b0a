package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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

    @Test
    void theNextOwnerComesAfterALivingOneHasFailed() throws IOException {
        Path directory = root.resolve("store");
        Path failed = root.resolve("failed");
        ChildJvm child = ChildJvm.of(Owner.class).withErrorsApart();
        try (ChildJvm.Running owner = child.start(directory.toString(), failed.toString())) {
            assertThat(owner.line()).isEqualTo(Owner.TAKEN);
            Files.delete(directory.resolve(StoreDirectory.LOCK_FILE));

            StoreDirectory.take(DISK, directory, KIND, true).close();

            assertThat(failed).exists();
        }
    }

    @Test
    void aRepairComesAfterALivingOwnerHasFailed() throws IOException {
        Path directory = root.resolve("store");
        Path failed = root.resolve("failed");
        ChildJvm child = ChildJvm.of(Owner.class).withErrorsApart();
        try (ChildJvm.Running owner = child.start(directory.toString(), failed.toString())) {
            assertThat(owner.line()).isEqualTo(Owner.TAKEN);
            Files.delete(directory.resolve(StoreDirectory.LOCK_FILE));

            StoreDirectory.claim(DISK, directory, false).close();

            assertThat(failed).exists();
        }
    }

    /** While it stood still, it could not notice that. */
    @Test
    @EnabledOnOs(
            value = {OS.LINUX, OS.MAC},
            disabledReason = "skipped: no process can be stopped there")
    void anOwnerThatStoodStillAcknowledgesNothingBesideTheNextOne() throws Exception {
        Path directory = root.resolve("store");
        Path failed = root.resolve("failed");
        Path acknowledged = root.resolve("acknowledged");
        ChildJvm child = ChildJvm.of(Owner.class).withErrorsApart();
        try (ChildJvm.Running owner = child.start(directory.toString(), failed.toString(), acknowledged.toString())) {
            assertThat(owner.line()).isEqualTo(Owner.TAKEN);
            assertThat(owner.line()).isEqualTo(Owner.ACKNOWLEDGES);
            signal("STOP", owner);
            Files.delete(directory.resolve(StoreDirectory.LOCK_FILE));
            long before = Files.size(acknowledged);

            StoreDirectory next = StoreDirectory.take(DISK, directory, KIND, true);
            try (next) {
                signal("CONT", owner);
                assertThat(owner.line()).isEqualTo(Owner.REFUSED);
            }

            assertThat(before).isPositive();
            assertThat(acknowledged).hasSize(before);
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

    /** A process with a store that fails stop when it is told of a loss, and then makes a file. It may acknowledge. */
    static final class Owner {
        private static final String TAKEN = "taken";
        private static final String ACKNOWLEDGES = "acknowledges";
        private static final String REFUSED = "refused";

        private Owner() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            StoreDirectory taken = StoreDirectory.take(DISK, Path.of(arguments[0]), KIND, false);
            Path failed = Path.of(arguments[1]);
            taken.watch().start("place-of-owner", new PlaceWatch.User() {
                @Override
                public Collection<UsedFile> filesInUse() {
                    return List.of();
                }

                @Override
                public boolean isStillUsed(UsedFile file) {
                    return false;
                }

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
            if (arguments.length > 2) {
                acknowledge(taken.watch(), Path.of(arguments[2]));
            }
            new CountDownLatch(1).await(); // the test ends this process
        }

        /** One byte for each acknowledgement. */
        private static void acknowledge(PlaceWatch watch, Path acknowledged) throws IOException {
            try (OutputStream out = Files.newOutputStream(acknowledged)) {
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
                for (int i = 0; System.nanoTime() < end; i++) {
                    watch.checkAfterStandstill();
                    out.write(1);
                    if (i == 1000) {
                        System.out.println(ACKNOWLEDGES);
                    }
                }
                System.out.println("not refused");
            } catch (PlaceLostException lost) {
                System.out.println(REFUSED);
            }
        }
    }
}
