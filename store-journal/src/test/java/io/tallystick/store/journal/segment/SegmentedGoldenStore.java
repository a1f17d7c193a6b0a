package io.tallystick.store.journal.segment;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.commit.AppendChains;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.spi.StateImage;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is in the golden store of the test resources, and the code that wrote its segments. */
final class SegmentedGoldenStore {
    /** The store, among the resources of the tests. */
    static final String RESOURCE = "golden/journal-v1";

    static final byte[] STORE_ID = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");
    static final int SEGMENT_BYTES = 16 * 1024;
    static final int BLOCK_BYTES = 4096;

    private final Disk disk = new SimulatedDisk();
    private final RecordEncoder encoder = new RecordEncoder(STORE_ID);
    private final Map<StateKey, StateImage> images = new LinkedHashMap<>();

    private long position = BLOCK_BYTES;
    private long sequence;

    /** The keys and what they hold in the end. */
    static Map<StateKey, StateImage> images() throws IOException {
        SegmentedGoldenStore store = new SegmentedGoldenStore();
        store.first();
        store.images.values().removeIf(image -> image == StateImage.ABSENT);
        return store.images;
    }

    /** A segment with a batch of one record, one of many, and the mark of a close. */
    byte[] first() throws IOException {
        Path path = Path.of("/segment");
        SegmentHeader header = new SegmentHeader(1, 0x0102030405060708L, SEGMENT_BYTES, BLOCK_BYTES, 0, 1, 1, 0, 0);
        try (DiskFile file = disk.open(path, OpenMode.CREATE_NEW)) {
            ByteBuffer bytes = ByteBuffer.allocate(SEGMENT_BYTES);
            header.encodeTo(bytes, STORE_ID);
            file.writeFully(bytes, 0);
            Segment segment = new Segment(path, header, file, file);
            StateKey hidden = StateKey.of("/AtomicAction/Child", ObjectId.of(new byte[] {(byte) 0xff}));
            StateKey removed = StateKey.of("/T", ObjectId.of(new byte[] {8}));
            StateKey longest = StateKey.of("/\u00fcber/a.b-c", ObjectId.of(new byte[ObjectId.MAX_BYTES]));
            write(
                    segment,
                    List.of(image(
                            StateKey.of("/T", ObjectId.of(new byte[] {7})), StateImage.ABSENT.write(text("abc")))));
            write(
                    segment,
                    List.of(
                            image(hidden, StateImage.of(text("committed"), text("the shadow"), true)),
                            image(removed, StateImage.ABSENT.write(text("soon gone"))),
                            image(
                                    StateKey.of("/AtomicAction", ObjectId.of(new byte[] {0})),
                                    StateImage.of(null, new byte[0], false)),
                            image(longest, StateImage.ABSENT.write(text("0123456789".repeat(100)))),
                            image(removed, StateImage.ABSENT)));
            write(segment, List.of());
            file.readFully(bytes.clear(), 0);
            return bytes.array();
        }
    }

    /** A segment that was never used, and says that the store was closed. */
    byte[] second() {
        ByteBuffer bytes = ByteBuffer.allocate(SEGMENT_BYTES);
        new SegmentHeader(2, 0x1112131415161718L, SEGMENT_BYTES, BLOCK_BYTES, 1, 1, 3 + 1024, 3, 0)
                .encodeTo(bytes, STORE_ID);
        return bytes.array();
    }

    private PendingAppend image(StateKey key, StateImage image) {
        images.put(key, image);
        return PendingAppend.of(key, image, encoder.encode(key, image), false);
    }

    private void write(Segment segment, List<PendingAppend> appends) throws IOException {
        int length = SegmentFormat.BATCH_HEADER_BYTES;
        for (PendingAppend append : appends) {
            length += append.recordLength();
        }
        SegmentBatch batch = new SegmentBatch(
                ++sequence,
                AppendChains.of(appends),
                appends.size(),
                null,
                new SegmentBatch.Place(segment, position, length));
        new BatchWriter(BLOCK_BYTES, BLOCK_BYTES).write(batch, sequence - 1, true);
        position += batch.bytes();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
