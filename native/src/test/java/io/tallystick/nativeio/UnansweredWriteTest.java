package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A write that is given up and lands later, on a lane that lets the test decide when. */
@Timeout(180)
class UnansweredWriteTest {
    private static final String KIND = "some-v1";

    @TempDir(factory = OnLocalDisk.class)
    Path root;

    private final Disk disk = new SystemDisk();
    private final HangingEngine engine = new HangingEngine();

    @Test
    void aWriteThatWasGivenUpDestroysNothingThatALaterOwnerWasPromised() throws Exception {
        Path directory = root.resolve("store");
        Path segment = directory.resolve("segment");
        giveUpAWriteAndClose(directory, segment);

        Throwable refused = catchThrowable(() -> {
            try (StoreDirectory later = StoreDirectory.take(disk, directory, KIND, true);
                    DiskFile file = disk.open(segment, OpenMode.READ_WRITE)) {
                assertThat(later.isNew()).isFalse();
                file.writeFully(filled(2), 0);
                file.force();
            }
        });
        byte[] promised = Files.readAllBytes(segment);
        engine.lane.get().land();

        if (refused == null) {
            assertThat(Files.readAllBytes(segment))
                    .as("what the later owner wrote")
                    .isEqualTo(promised);
        }
        assertThat(refused)
                .isInstanceOf(StoreDirectoryException.class)
                .hasMessageContainingAll("file=" + segment.toRealPath(), "is still out", "end this process");
    }

    @Test
    void theLockIsKeptUntilTheProcessEndsAndSoIsTheBuffer() throws Exception {
        Path directory = root.resolve("store");
        giveUpAWriteAndClose(directory, directory.resolve("segment"));

        WeakReference<Object> garbage = new WeakReference<>(new Object());
        while (garbage.get() != null) {
            System.gc();
        }

        assertThat(WriterProcess.inAJvm(root).lines("take", KIND, directory.toString()))
                .containsExactly("REFUSED LOCKED");
        assertThat(engine.lane.get()).as("the lane, which holds the buffer").isNotNull();
        assertThatThrownBy(() -> StoreDirectory.claim(disk, directory, false)).hasMessageContaining("is still out");
        assertThat(StoreDirectory.take(disk, root.resolve("another"), KIND, false)
                        .isNew())
                .isTrue();
    }

    private void giveUpAWriteAndClose(Path directory, Path segment) throws IOException {
        try (StoreDirectory owner = StoreDirectory.take(disk, directory, KIND, false)) {
            int alignment = disk.directAlignment(owner.path());
            try (DiskFile made = disk.open(segment, OpenMode.CREATE_NEW)) {
                made.writeFully(filled(0), 0);
            }
            try (DiskFile file = new NativeDisk(disk, engine).open(segment, OpenMode.DIRECT_SYNC)) {
                ByteBuffer bytes = Buffers.aligned(alignment, alignment);
                bytes.put(0, filled(1).array(), 0, alignment);
                assertThatThrownBy(() -> file.write(bytes, 0)).hasMessageContaining("the disk has not answered");
            }
        }
    }

    private static ByteBuffer filled(int value) {
        byte[] bytes = new byte[8192];
        Arrays.fill(bytes, (byte) value);
        return ByteBuffer.wrap(bytes);
    }

    private final class HangingEngine implements Engine {
        WeakReference<HangingLane> lane;

        @Override
        public String description() {
            return "hanging";
        }

        @Override
        public Descriptor open(Path file) {
            return new Descriptor() {
                @Override
                public int number() {
                    return 42;
                }

                @Override
                public void close() {
                    // a kernel keeps the file of a write that is out
                }
            };
        }

        @Override
        public Lane openLane() {
            HangingLane opened = new HangingLane();
            lane = new WeakReference<>(opened);
            return opened;
        }
    }

    /** Its only write is given up at once. */
    private final class HangingLane implements Lane {
        private ByteBuffer source;
        private long position;

        @Override
        public int write(Descriptor file, ByteBuffer bytes, long at) throws IOException {
            source = bytes;
            position = at;
            throw new IOException("the disk has not answered");
        }

        void land() throws IOException {
            try (DiskFile file = disk.open(root.resolve("store").resolve("segment"), OpenMode.READ_WRITE)) {
                file.writeFully(source, position);
            }
        }

        @Override
        public boolean isIdle() {
            return source == null;
        }

        @Override
        public void close() {
            throw new AssertionError("a lane is closed while its write is out");
        }
    }
}
