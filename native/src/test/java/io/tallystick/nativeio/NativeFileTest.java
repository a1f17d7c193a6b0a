package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What files do with lanes and descriptors, on lanes that only note what they are asked. */
@Timeout(60)
class NativeFileTest {
    private static final int BLOCK = 512;

    @TempDir(factory = OnLocalDisk.class)
    Path directory;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final NotingEngine engine = new NotingEngine();
    private DiskFile ordinary;
    private final LanePool lanes = new LanePool(engine);

    @BeforeEach
    void openOrdinaryFile() throws IOException {
        ordinary = new SystemDisk().open(Files.createFile(directory.resolve("data")), OpenMode.READ_WRITE);
    }

    @AfterEach
    void end() throws IOException {
        threads.shutdownNow();
        ordinary.close();
    }

    @Test
    void oneWriterAlwaysUsesTheSameLane() throws IOException {
        try (NativeFile file = file()) {
            for (int i = 0; i < 10; i++) {
                file.write(block(), 0);
            }
        }
        assertThat(engine.lanes).hasSize(1);
        assertThat(engine.lanes.get(0).writes).isEqualTo(10);
    }

    @Test
    void closingTheLastFileClosesTheLanes() throws IOException {
        NativeFile first = file();
        NativeFile second = file();
        first.write(block(), 0);
        first.close();
        first.close();
        assertThat(engine.lanes.get(0).closed).isFalse();
        second.close();
        assertThat(engine.lanes.get(0).closed).isTrue();
        assertThat(engine.closedDescriptors.get()).isEqualTo(2);
    }

    @Test
    void closingWaitsForTheWriteInFlight() throws Exception {
        engine.holdWrites = new CountDownLatch(1);
        NativeFile file = file();
        Future<Integer> write = threads.submit(() -> file.write(block(), 0));
        assertThat(engine.writing.await(30, TimeUnit.SECONDS)).isTrue();
        CountDownLatch closed = new CountDownLatch(1);
        threads.submit(() -> {
            file.close();
            closed.countDown();
            return null;
        });
        // It lets no caller in any more, and so has begun to close.
        ByteBuffer nothing = Buffers.aligned(0, BLOCK);
        assertThatThrownBy(() -> {
                    while (true) {
                        file.write(nothing, 0);
                    }
                })
                .isInstanceOf(IOException.class);
        assertThat(closed.getCount()).isEqualTo(1);
        assertThat(engine.closedDescriptors.get()).isZero();
        engine.holdWrites.countDown();
        assertThat(write.get(30, TimeUnit.SECONDS)).isEqualTo(BLOCK);
        assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(engine.closedDescriptors.get()).isEqualTo(1);
    }

    @Test
    void aLaneWhoseWriteIsLostIsNeverUsedOrClosedAgain() throws IOException {
        NativeFile file = file();
        engine.nextWriteIsLost = true;
        assertThatThrownBy(() -> file.write(block(), 4 * BLOCK))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("file=" + ordinary.path(), "offset=" + 4 * BLOCK, "length=" + BLOCK, "lost");
        file.write(block(), 0);
        file.close();
        assertThat(engine.lanes).hasSize(2);
        assertThat(engine.lanes.get(0).writes).isEqualTo(1);
        assertThat(engine.lanes.get(0).closed).isFalse();
        assertThat(engine.lanes.get(1).closed).isTrue();
    }

    @Test
    void aWriteThatFindsNoLaneToOpenWaitsForOneThatIsThere() throws Exception {
        engine.holdWrites = new CountDownLatch(1);
        engine.lanesToHave = 1;
        NativeFile file = file();
        Future<Integer> first = threads.submit(() -> file.write(block(), 0));
        assertThat(engine.writing.await(30, TimeUnit.SECONDS)).isTrue();

        Future<Integer> second = threads.submit(() -> file.write(block(), BLOCK));
        assertThat(engine.refused.await(30, TimeUnit.SECONDS)).isTrue();
        engine.holdWrites.countDown();

        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(BLOCK);
        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(BLOCK);
        file.close();
        assertThat(engine.lanes).hasSize(1);
    }

    @Test
    void aLaneThatCannotBeHadIsToldWhenTheFileIsOpened() {
        engine.lanesToHave = 0;

        assertThatThrownBy(this::file).hasMessageContaining("no lane");

        engine.lanesToHave = 1;
        assertThatNoException().isThrownBy(() -> file().close());
        assertThat(engine.lanes).hasSize(1);
    }

    @Test
    void aWriteThatWaitsForALaneFailsWhenTheLastOneIsLost() throws Exception {
        engine.holdWrites = new CountDownLatch(1);
        engine.lanesToHave = 1;
        engine.nextWriteIsLost = true;
        NativeFile file = file();
        Future<Integer> first = threads.submit(() -> file.write(block(), 0));
        assertThat(engine.writing.await(30, TimeUnit.SECONDS)).isTrue();
        Future<Integer> second = threads.submit(() -> file.write(block(), BLOCK));
        assertThat(engine.refused.await(30, TimeUnit.SECONDS)).isTrue();
        engine.holdWrites.countDown();

        assertThatThrownBy(() -> first.get(30, TimeUnit.SECONDS)).hasMessageContaining("lost");
        assertThatThrownBy(() -> second.get(30, TimeUnit.SECONDS)).hasMessageContaining("no lane");
        file.close();
    }

    @Test
    void aShortCountMovesTheBufferThatFar() throws IOException {
        engine.shortBy = BLOCK;
        ByteBuffer source = Buffers.aligned(3 * BLOCK, BLOCK);
        try (NativeFile file = file()) {
            assertThat(file.write(source, 0)).isEqualTo(2 * BLOCK);
        }
        assertThat(source.position()).isEqualTo(2 * BLOCK);
    }

    @Test
    void aBufferOnTheHeapIsRefused() throws IOException {
        try (NativeFile file = file()) {
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(BLOCK), 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("direct buffer");
        }
    }

    @Test
    void aRefusalOfAMisalignedWriteSaysWhatItMustBe() throws IOException {
        try (NativeFile file = file()) {
            assertThatThrownBy(() -> file.write(block(), 7))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("offset=7", "length=" + BLOCK, "multiples of " + BLOCK, "alignedSlice");
        }
    }

    private static ByteBuffer block() {
        return Buffers.aligned(BLOCK, BLOCK);
    }

    private NativeFile file() throws IOException {
        return new NativeFile(ordinary, engine.open(ordinary.path()), lanes, BLOCK);
    }

    private static final class NotingEngine implements Engine {
        final List<NotingLane> lanes = new ArrayList<>();
        final CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch holdWrites = new CountDownLatch(0);
        final AtomicInteger closedDescriptors = new AtomicInteger();
        final CountDownLatch refused = new CountDownLatch(1);
        volatile int lanesToHave = Integer.MAX_VALUE;
        boolean nextWriteIsLost;
        int shortBy;

        @Override
        public String description() {
            return "noting";
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
                    closedDescriptors.incrementAndGet();
                }
            };
        }

        @Override
        public synchronized Lane openLane() throws IOException {
            if (lanes.size() >= lanesToHave) {
                refused.countDown();
                throw new IOException("no lane is to be had");
            }
            NotingLane lane = new NotingLane(this);
            lanes.add(lane);
            return lane;
        }
    }

    private static final class NotingLane implements Lane {
        private final NotingEngine engine;
        int writes;
        boolean closed;
        private boolean lost;

        NotingLane(NotingEngine engine) {
            this.engine = engine;
        }

        @Override
        public int write(Descriptor file, ByteBuffer source, long position) throws IOException {
            assertThat(closed || lost).isFalse();
            writes++;
            engine.writing.countDown();
            try {
                engine.holdWrites.await();
            } catch (InterruptedException endOfTest) {
                throw new IOException(endOfTest);
            }
            if (engine.nextWriteIsLost) {
                engine.nextWriteIsLost = false;
                lost = true;
                throw new IOException("lost");
            }
            return source.remaining() - engine.shortBy;
        }

        @Override
        public boolean isIdle() {
            return !lost;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
