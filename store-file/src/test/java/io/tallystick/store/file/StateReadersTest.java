package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreIoException;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many files are recovered by several threads, which neither lose a state nor hide a failure. */
@Timeout(120)
class StateReadersTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int STATES = 4 * StateReaders.MANY_FILES;

    private final SimulatedDisk simulated = new SimulatedDisk();

    @Test
    void forcesOfManyFilesWaitTogetherAndEveryStateIsFound() {
        leaveStates();
        MeetingForces disk = new MeetingForces(simulated.crash(1));
        try (FileStore store = open(disk)) {
            assertThat(disk.most).hasValue(StateReaders.THREADS);
            assertThat(store.statistics().records()).isEqualTo(STATES);
            assertThat(store.keys("/T")).hasSize(STATES);
            for (int i = 0; i < STATES; i++) {
                assertThat(store.read(key(i)).orElseThrow()).isEqualTo(state(i));
            }
        }
    }

    @Test
    void oneFileThatCannotBeForcedRefusesTheOpeningAndLeavesNothingOpen() {
        leaveStates();
        FaultInjectingDisk disk = new FaultInjectingDisk(simulated.crash(1));
        OpenFileWatch files = new OpenFileWatch(disk);
        disk.inject(DiskFault.in(DiskOperation.FORCE).at(STATES / 2).failingWith(DiskFault.EIO));

        assertThatThrownBy(() -> open(files.disk()))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("Input/output error");
        assertThat(files.open()).isEmpty();
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("tallystick-file-recovery"));
    }

    private void leaveStates() {
        FileStore store = open(simulated);
        for (int i = 0; i < STATES; i++) {
            store.write(key(i), state(i), Durability.FORCED);
        }
    }

    /** The first forces of state files wait until as many threads force as read. */
    private static final class MeetingForces extends ForwardingDisk {
        private final CountDownLatch together = new CountDownLatch(StateReaders.THREADS);
        private final AtomicInteger now = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        MeetingForces(Disk disk) {
            super(disk);
        }

        @Override
        public DiskFile open(Path file, OpenMode mode) throws IOException {
            DiskFile opened = super.open(file, mode);
            return file.startsWith(DIRECTORY.resolve("states")) ? new Meeting(opened) : opened;
        }

        private final class Meeting implements DiskFile {
            private final DiskFile file;

            Meeting(DiskFile file) {
                this.file = file;
            }

            @Override
            public void force() throws IOException {
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                together.countDown();
                try {
                    together.await(20, TimeUnit.SECONDS);
                } catch (InterruptedException unexpected) {
                    throw new AssertionError(unexpected);
                }
                now.decrementAndGet();
                file.force();
            }

            @Override
            public Path path() {
                return file.path();
            }

            @Override
            public long size() throws IOException {
                return file.size();
            }

            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                return file.read(target, position);
            }

            @Override
            public int write(ByteBuffer source, long position) throws IOException {
                return file.write(source, position);
            }

            @Override
            public void truncate(long size) throws IOException {
                file.truncate(size);
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        }
    }

    private static FileStore open(Disk disk) {
        return FileStore.open(FileStoreOptions.in(DIRECTORY), disk, NanoClock.SYSTEM);
    }

    private static byte[] state(int number) {
        return ByteBuffer.allocate(100).putInt(number).array();
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }
}
