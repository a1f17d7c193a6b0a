package io.tallystick.store.journal.segment;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.journal.room.Room;
import io.tallystick.store.log.commit.AppendChains;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** A ring of small segments and their factory on a simulated disk, for tests of the parts of a pool. */
final class SegmentFixture {
    static final Path DIRECTORY = Path.of("/store");
    static final byte[] STORE_ID = new byte[16];
    static final int BLOCK = SimulatedDisk.DIRECT_ALIGNMENT;
    static final long SEGMENT_BYTES = 64 * StoreOption.KIB;
    static final SegmentPlan PLAN = new SegmentPlan(DIRECTORY, SEGMENT_BYTES, BLOCK);

    final SimulatedDisk disk;
    final LogIo io;
    final ReentrantLock lock = new ReentrantLock();
    final Room room = new Room();
    final CurrentReserves reserves = new CurrentReserves(lock, PLAN, 0, 0);
    final SegmentRing ring;
    final SegmentFactory factory;
    private final BatchWriter writer = new BatchWriter(16 * BLOCK, BLOCK);

    SegmentFixture() throws IOException {
        this(new SimulatedDisk());
    }

    SegmentFixture(SimulatedDisk disk) throws IOException {
        this.disk = disk;
        disk.createDirectory(DIRECTORY);
        disk.forceDirectory(DIRECTORY.getParent());
        this.io = io(disk);
        this.ring = new SegmentRing(lock, PLAN, nothing(), room, reserves);
        this.factory = new SegmentFactory(io, PLAN, STORE_ID, ring);
    }

    /** A new store: nothing was found. */
    private static RecoveredSegments nothing() {
        return new RecoveredSegments(
                new LinkedList<>(), new RecoveredSegments.Highest(0, 0), new RecoveredSegments.Sequences(1, 0, 0), 0);
    }

    private static LogIo io(SimulatedDisk disk) throws IOException {
        return LogIo.find(LogIo.DIRECT, disk, DIRECTORY).io().orElseThrow();
    }

    /** How a log with three segments is opened on the disk. */
    static JournalContext context(SimulatedDisk disk) throws IOException {
        return context(disk, SEGMENT_BYTES);
    }

    /** How a log with three segments of this size is opened on the disk. */
    static JournalContext context(SimulatedDisk disk, long segmentBytes) throws IOException {
        JournalOptions options = JournalOptions.from(JournalStores.small(DIRECTORY, "segmented", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, segmentBytes)
                .set(StoreOption.JOURNAL_SEGMENTS, 3)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB)
                .build());
        return new JournalContext(
                options,
                new JournalContext.Home(DIRECTORY, STORE_ID),
                io(disk),
                NanoClock.SYSTEM,
                new StatisticsRecorder(StoreEvents.flightRecorder("test")));
    }

    /** A spare that has only a header, and no file. */
    static Segment withoutFile(SegmentHeader header) {
        return new Segment(DIRECTORY.resolve(SegmentFormat.fileName((int) header.segmentId())), header, null, null);
    }

    /** A segment with a file, taken into use. */
    Segment active() throws IOException {
        factory.makeSpare(() -> false);
        return ring.takeSpare();
    }

    /** Writes one batch of these appends; returns where it ends. */
    long write(Segment segment, long position, long sequence, long durableThrough, PendingAppend... appends)
            throws IOException {
        long length = SegmentFormat.BATCH_HEADER_BYTES;
        for (PendingAppend append : appends) {
            append.place(segment, position + length);
            length += append.recordLength();
        }
        PendingAppend first = AppendChains.of(List.of(appends));
        SegmentBatch.Place place = new SegmentBatch.Place(segment, position, (int) length);
        SegmentBatch batch = new SegmentBatch(sequence, first, appends.length, null, place);
        writer.write(batch, durableThrough, false);
        segment.laidOut(sequence);
        return position + batch.bytes();
    }

    static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }

    static PendingAppend image(int number, int bytes) {
        return append(key(number), StateImage.ABSENT.write(new byte[bytes]));
    }

    static PendingAppend removal(int number) {
        return append(key(number), StateImage.ABSENT);
    }

    private static PendingAppend append(StateKey key, StateImage image) {
        return PendingAppend.of(key, image, new RecordEncoder(STORE_ID).encode(key, image), false);
    }
}
