package io.tallystick.store.journal.artemis;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The parts of a small journal on a simulated disk, as the log puts them together. */
final class ArtemisFixture implements AutoCloseable {
    static final Path DIRECTORY = Path.of("/store");
    static final byte[] STORE_ID = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");
    static final int FILE_BYTES = 64 * 1024;
    static final int SEGMENTS = 5;

    final SimulatedDisk simulated;
    final FaultInjectingDisk disk;
    final JournalContext context;
    final ConcurrentHashMap<StateKey, Version> index = new ConcurrentHashMap<>();
    final DiskFileFactory factory;
    final ArtemisLog.Parts parts;

    private Housekeeper housekeeper;
    private ArtemisRecovery.Recovered recovered;

    ArtemisFixture() throws IOException {
        this(new SimulatedDisk(), LogIo.CHANNEL);
    }

    /** Parts whose way to the disk is this one. */
    ArtemisFixture(SimulatedDisk simulated, String io) throws IOException {
        this.simulated = simulated;
        if (simulated.kindOf(DIRECTORY) == SimulatedDisk.PathKind.MISSING) {
            simulated.createDirectory(DIRECTORY);
            simulated.forceDirectory(DIRECTORY.getParent());
        }
        this.disk = new FaultInjectingDisk(simulated);
        JournalOptions options = JournalOptions.from(JournalStores.small(DIRECTORY, "artemis", io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, (long) FILE_BYTES)
                .set(StoreOption.JOURNAL_SEGMENTS, SEGMENTS)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB)
                .build());
        LogIo found = LogIo.find(io, disk, DIRECTORY).io().orElseThrow();
        this.context = new JournalContext(
                options,
                new JournalContext.Home(DIRECTORY, STORE_ID),
                found,
                NanoClock.SYSTEM,
                new StatisticsRecorder());
        DataFiles dataFiles = new DataFiles();
        this.factory = new DiskFileFactory(context, FILE_BYTES, found.alignment(), dataFiles);
        LiveRecords live = new LiveRecords(index);
        this.parts = new ArtemisLog.Parts(
                factory, dataFiles, new JournalFiles(), live, new JournalRoom(factory, live), new FailureLatch());
    }

    /** Loads the journal, as an opening does. */
    ArtemisFixture load() throws IOException {
        ArtemisRecovery recovery = new ArtemisRecovery(context);
        ArtemisRecovery.Scanned scanned = recovery.scan();
        housekeeper = new Housekeeper(context, parts);
        recovered = housekeeper.thread().call(() -> recovery.load(scanned, parts, housekeeper, index));
        return this;
    }

    Housekeeper housekeeper() {
        return housekeeper;
    }

    ArtemisRecovery.Recovered recovered() {
        return recovered;
    }

    /** The room that a file has. */
    long usableBytes() {
        return factory.usableBytes();
    }

    /** A batch of this append in this file, and that gives it a record id. */
    ArtemisBatch batch(DataFile file, long sequence, int begin, PendingAppend append) {
        return batch(file, sequence, begin, 0, append);
    }

    /** A batch whose length is wrong by so many bytes. */
    ArtemisBatch batch(DataFile file, long sequence, int begin, int wrongBy, PendingAppend append) {
        ArtemisBatch.Contents contents = contents(append, ArtemisFormat.batchHeaderBytes(0) + wrongBy);
        return placed(contents, sequence, new ArtemisBatch.Place(file, false, Map.of(), begin, contents.length()));
    }

    /** A batch for which the journal goes to its next file. */
    ArtemisBatch batchThatBegins(DataFile file, long sequence, Map<Long, Long> files, PendingAppend append) {
        ArtemisBatch.Contents contents = contents(append, ArtemisFormat.batchHeaderBytes(files.size()));
        return placed(
                contents,
                sequence,
                new ArtemisBatch.Place(file, true, files, factory.blockStart(0), contents.length()));
    }

    private static ArtemisBatch.Contents contents(PendingAppend append, int headerBytes) {
        boolean isImage = !append.isTombstone();
        boolean isDeletion = append.previous() != null && !append.previous().isTombstone();
        int length = headerBytes
                + (isImage ? ArtemisFormat.ADD_FRAME_BYTES + append.recordLength() : 0)
                + (isDeletion ? ArtemisFormat.DELETE_BYTES : 0);
        return new ArtemisBatch.Contents(append, 1, null, length, (isImage ? 1 : 0) + (isDeletion ? 1 : 0));
    }

    private static ArtemisBatch placed(ArtemisBatch.Contents contents, long sequence, ArtemisBatch.Place place) {
        contents.first().place(place.file(), contents.first().isTombstone() ? 0 : sequence);
        place.file().laidOut(sequence);
        return new ArtemisBatch(sequence, contents, place, sequence + 1);
    }

    @Override
    public void close() throws IOException {
        if (housekeeper != null) {
            housekeeper.close();
        }
        factory.closeAll();
    }

    static Path file(int number) {
        return DIRECTORY.resolve(ArtemisFormat.PREFIX + "-" + number + "." + ArtemisFormat.EXTENSION);
    }

    static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }

    /** The record that gives a key a value of this length. */
    static byte[] record(int number, int valueBytes) {
        return new RecordEncoder(STORE_ID).encode(key(number), StateImage.ABSENT.write(new byte[valueBytes]));
    }

    /** An append of a value of this length. */
    static PendingAppend image(int number, int valueBytes) {
        return append(number, StateImage.ABSENT.write(new byte[valueBytes]));
    }

    static PendingAppend removal(int number) {
        return append(number, StateImage.ABSENT);
    }

    private static PendingAppend append(int number, StateImage image) {
        return PendingAppend.of(key(number), image, new RecordEncoder(STORE_ID).encode(key(number), image), false);
    }

    /** The same record as one that recovery has found in this file. */
    static Version onDisk(PendingAppend append, DataFile home, long recordId) {
        byte[] record = append.record();
        try {
            RecordDecoder.Header header = new RecordDecoder(STORE_ID).decodeHeader(record, 0, record.length);
            return Version.recovered(header, record, home, recordId);
        } catch (RecordDecoder.BadRecordException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
