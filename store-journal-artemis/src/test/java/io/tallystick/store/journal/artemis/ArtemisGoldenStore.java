package io.tallystick.store.journal.artemis;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.spi.StateImage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.activemq.artemis.core.journal.impl.dataformat.JournalInternalRecord;

/** The content of the golden store in the test resources, and the code that wrote its file. */
final class ArtemisGoldenStore {
    /** The store, among the resources of the tests. */
    static final String RESOURCE = "golden/journal-artemis-v1";

    static final String FILE = "tallystick-1.jnl";
    static final byte[] STORE_ID = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");
    static final int FILE_BYTES = 64 * 1024;

    private final RecordEncoder encoder = new RecordEncoder(STORE_ID);
    private final JournalFileBytes file = new JournalFileBytes(new FileHeader(1, 0, 0, FILE_BYTES), STORE_ID);

    private long sequence;
    private long nextRecordId = 1;

    /** The keys and what they hold. */
    static Map<StateKey, StateImage> images() {
        Map<StateKey, StateImage> images = new LinkedHashMap<>();
        images.put(StateKey.of("/T", ObjectId.of(new byte[] {7})), StateImage.ABSENT.write(text("abc")));
        images.put(
                StateKey.of("/AtomicAction/Child", ObjectId.of(new byte[] {(byte) 0xff})),
                StateImage.of(text("committed"), text("the shadow"), true));
        images.put(StateKey.of("/AtomicAction", ObjectId.of(new byte[] {0})), StateImage.of(null, new byte[0], false));
        images.put(
                StateKey.of("/\u00fcber/a.b-c", ObjectId.of(new byte[ObjectId.MAX_BYTES])),
                StateImage.ABSENT.write(text("0123456789".repeat(100))));
        return images;
    }

    /** A file with a batch of one record, one of many, one that deletes, and the empty one of a close. */
    byte[] file() {
        StateKey removed = StateKey.of("/T", ObjectId.of(new byte[] {8}));
        List<Map.Entry<StateKey, StateImage>> images = List.copyOf(images().entrySet());
        write(images.subList(0, 1), 0);
        long removedId = nextRecordId;
        write(List.of(Map.entry(removed, StateImage.ABSENT.write(text("soon gone")))), 0);
        write(images.subList(1, images.size()), removedId);
        write(List.of(), 0);
        return file.array();
    }

    /** The bytes of the first batch. */
    static int firstBatchBytes() {
        return ArtemisFormat.batchHeaderBytes(0) + ArtemisFormat.ADD_FRAME_BYTES + 32;
    }

    private void write(List<Map.Entry<StateKey, StateImage>> images, long deleted) {
        List<JournalInternalRecord> records = new ArrayList<>();
        for (Map.Entry<StateKey, StateImage> entry : images) {
            byte[] record = encoder.encode(entry.getKey(), entry.getValue());
            records.add(JournalFileBytes.image(nextRecordId++, record));
        }
        if (deleted != 0) {
            records.add(JournalFileBytes.deletion(deleted));
        }
        file.batch(++sequence, nextRecordId, records.toArray(new JournalInternalRecord[0]));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
