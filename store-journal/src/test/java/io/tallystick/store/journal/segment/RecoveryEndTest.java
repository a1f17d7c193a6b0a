package io.tallystick.store.journal.segment;

import static io.tallystick.store.journal.segment.SegmentFixture.BLOCK;
import static io.tallystick.store.journal.segment.SegmentFixture.DIRECTORY;
import static io.tallystick.store.journal.segment.SegmentFixture.image;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** What recovery leaves behind: files that it has opened, and work that is still to be forced. */
class RecoveryEndTest {
    private static final int LARGE_BLOCK = 32 * 1024;

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final OpenFilesDisk disk = new OpenFilesDisk(simulated);
    private final CountingRewriter rewriter = new CountingRewriter();

    @Test
    void aRecoveryThatRefusesTheStoreLeavesNoFileOpen() throws IOException {
        SegmentFixture fixture = new SegmentFixture(simulated);
        Segment active = fixture.active();
        long next = fixture.write(active, BLOCK, 1, 0, image(1, 10));
        fixture.write(active, next, 2, 1, image(2, 10));
        byte[] bytes = simulated.contents(active.path());
        bytes[BLOCK + 100] ^= 1;
        simulated.replaceContents(active.path(), bytes);

        assertThatThrownBy(() -> recover(BLOCK)).isInstanceOf(CorruptStoreException.class);

        assertThat(disk.open).isEmpty();
    }

    @Test
    void aHeaderThatIsDamagedLeavesNoFileOpen() throws IOException {
        Segment active = new SegmentFixture(simulated).active();
        byte[] bytes = simulated.contents(active.path());
        bytes[1] ^= 1;
        simulated.replaceContents(active.path(), bytes);
        disk.failsToClose = true;

        assertThatThrownBy(() -> recover(BLOCK))
                .isInstanceOf(CorruptStoreException.class)
                .satisfies(refused -> assertThat(refused.getSuppressed()).hasSize(1));

        assertThat(disk.open).isEmpty();
    }

    @Test
    void anOpeningThatFindsNoRoomLeavesNoFileOpen() throws IOException {
        simulated.createDirectory(DIRECTORY);
        simulated.setCapacity(SegmentFixture.SEGMENT_BYTES + BLOCK);

        assertThatThrownBy(() -> recover(BLOCK)).isInstanceOf(IOException.class);

        assertThat(disk.open).isEmpty();
    }

    @Test
    void aNewStoreLeavesTheFilesOfItsSegmentsOpenAndNoOther() throws IOException {
        simulated.createDirectory(DIRECTORY);

        SegmentRecovery.Result result = recover(BLOCK);
        assertThat(disk.open).allMatch(file -> SegmentFormat.fileNumber(file.path()) > 0);
        result.pool().close();

        assertThat(disk.open).isEmpty();
    }

    /** A record with two values of 16 KiB fits into a file of 64 KiB, but not behind a header block of 32 KiB. */
    @Test
    void aFileThatHasNoRoomForTheLongestRecordIsRefused() throws IOException {
        simulated.createDirectory(DIRECTORY);

        assertThatThrownBy(() -> recover(LARGE_BLOCK))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has room for 32768")
                .hasMessageContaining("raise the segment size, or lower one of the others");
    }

    @Test
    void whatIsWrittenAgainBehindAGapIsForcedAndNothingElseIs() throws IOException {
        SegmentFixture fixture = new SegmentFixture(simulated);
        Segment active = fixture.active();
        fixture.write(active, BLOCK, 1, 0, image(1, 10));
        result(List.of()).rewriteBeyondGap(rewriter);
        assertThat(rewriter.forces).isZero();

        result(List.of(new SegmentRecovery.Uncovered(active, 0))).rewriteBeyondGap(rewriter);

        assertThat(rewriter.forces).isEqualTo(1);
    }

    @Test
    void aSegmentThatCannotBeReadStopsTheOpeningUnlessItIsFree() throws IOException {
        Segment unreadable = new SegmentFixture(simulated).active();
        unreadable.close();
        SegmentRecovery.Result result = result(List.of(new SegmentRecovery.Uncovered(unreadable, 0)));
        assertThatThrownBy(() -> result.rewriteBeyondGap(rewriter)).isInstanceOf(IOException.class);

        unreadable.free();

        result.rewriteBeyondGap(rewriter);
    }

    private static SegmentRecovery.Result result(List<SegmentRecovery.Uncovered> uncovered) {
        return new SegmentRecovery.Result(
                null, new RecoveredSegments.End(null, 0, 1), uncovered, SegmentFixture.STORE_ID);
    }

    private SegmentRecovery.Result recover(int blockBytes) throws IOException {
        JournalOptions options = JournalOptions.from(JournalStores.small(DIRECTORY, "segmented", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, SegmentFixture.SEGMENT_BYTES)
                .set(StoreOption.JOURNAL_SEGMENTS, 3)
                .set(StoreOption.MAX_STATE_SIZE, 16 * StoreOption.KIB)
                .build());
        LogIo io = LogIo.find(LogIo.DIRECT, disk, DIRECTORY).io().orElseThrow();
        disk.open.clear();
        JournalContext context = new JournalContext(
                options,
                new JournalContext.Home(DIRECTORY, SegmentFixture.STORE_ID),
                io,
                NanoClock.SYSTEM,
                new StatisticsRecorder(StoreEvents.flightRecorder("test")));
        return new SegmentRecovery(context, blockBytes).recover(new ConcurrentHashMap<>());
    }

    /** Knows the files that are open. */
    private static final class OpenFilesDisk extends ForwardingDisk {
        final Set<DiskFile> open = new HashSet<>();
        boolean failsToClose;

        OpenFilesDisk(Disk disk) {
            super(disk);
        }

        @Override
        public DiskFile open(Path path, OpenMode mode) throws IOException {
            DiskFile file = super.open(path, mode);
            open.add(file);
            return (DiskFile) Proxy.newProxyInstance(
                    DiskFile.class.getClassLoader(), new Class<?>[] {DiskFile.class}, (proxy, method, arguments) -> {
                        try {
                            Object result = method.invoke(file, arguments);
                            if (method.getName().equals("close")) {
                                open.remove(file);
                                if (failsToClose) {
                                    throw new IOException("closing failed");
                                }
                            }
                            return result;
                        } catch (InvocationTargetException thrown) {
                            throw thrown.getCause();
                        }
                    });
        }
    }

    private static final class CountingRewriter implements RecordLog.Rewriter {
        int forces;

        @Override
        public Version latest(StateKey key) {
            return null;
        }

        @Override
        public long rewrite(List<RecordLog.Carried> records) {
            return 0;
        }

        @Override
        public void force() {
            forces++;
        }

        @Override
        public void failStop(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public boolean hasFailed() {
            return false;
        }
    }
}
