package io.tallystick.store.journal.segment;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.commit.AppendChains;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.spi.StateImage;
import io.tallystick.testkit.disk.ArrayFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Sound records and segments, for tests that change them, and as the first inputs of a fuzzer. */
final class SoundJournalInputs {
    static final Path FILE = Path.of("/store/segment-000001.seg");
    static final byte[] STORE_ID = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    static final int BLOCK_BYTES = 512;
    static final int SEGMENT_BYTES = 16 * BLOCK_BYTES;

    private static final int RECORDS = 20;
    private static final int SEGMENTS = 8;
    // What the targets of the fuzzer take off first: sign the checksums, all of them.
    private static final byte[] SIGNED = {1};

    private SoundJournalInputs() {}

    /** Writes the first inputs of {@code record} or {@code segment} as files into a directory. */
    public static void main(String[] arguments) throws IOException {
        List<byte[]> inputs = arguments[0].equals("record") ? records() : segments();
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        for (int i = 0; i < inputs.size(); i++) {
            Path file = directory.resolve("sound-" + i);
            Files.write(file, SIGNED);
            Files.write(file, inputs.get(i), StandardOpenOption.APPEND);
        }
    }

    static List<byte[]> records() {
        RecordEncoder encoder = new RecordEncoder(STORE_ID);
        List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            records.add(encoder.encode(key(i), image(i)));
        }
        return records;
    }

    static List<byte[]> segments() throws IOException {
        List<byte[]> segments = new ArrayList<>();
        for (int i = 0; i < SEGMENTS; i++) {
            segments.add(segment(i));
        }
        return segments;
    }

    private static byte[] segment(int number) throws IOException {
        SegmentHeader header =
                new SegmentHeader(5 + number, 77 * number, SEGMENT_BYTES, BLOCK_BYTES, 4 + number, 3, 100, 50, 20);
        byte[] bytes = new byte[SEGMENT_BYTES];
        header.encodeTo(ByteBuffer.wrap(bytes), STORE_ID);
        ArrayFile file = new ArrayFile(FILE, bytes);
        Segment segment = new Segment(FILE, header, file, file);
        RecordEncoder encoder = new RecordEncoder(STORE_ID);
        long position = BLOCK_BYTES;
        for (int sequence = 100; position + 4 * BLOCK_BYTES <= SEGMENT_BYTES; sequence++) {
            List<PendingAppend> appends = new ArrayList<>();
            int length = SegmentFormat.BATCH_HEADER_BYTES;
            for (int i = 0; i < sequence % 4; i++) {
                StateKey key = key(number + sequence + i);
                StateImage image = image(sequence + i);
                appends.add(PendingAppend.of(key, image, encoder.encode(key, image), false));
                length += appends.get(i).recordLength();
            }
            SegmentBatch batch = new SegmentBatch(
                    sequence,
                    AppendChains.of(appends),
                    appends.size(),
                    null,
                    new SegmentBatch.Place(segment, position, length));
            new BatchWriter(4 * BLOCK_BYTES, BLOCK_BYTES).write(batch, sequence - 1, false);
            position += batch.bytes();
        }
        return bytes;
    }

    private static StateKey key(int number) {
        String type = number % 3 == 0 ? "/T" : "/\u00fcber/\u4e16\u754c/" + "x".repeat(number % 50);
        return StateKey.of(
                type.endsWith("/") ? type + "y" : type, ObjectId.of(new byte[1 + number % ObjectId.MAX_BYTES]));
    }

    private static StateImage image(int number) {
        byte[] bytes = new byte[37 * number % 400];
        new Random(number).nextBytes(bytes);
        return switch (number % 5) {
            case 0 -> StateImage.ABSENT;
            case 1 -> StateImage.of(bytes, null, false);
            case 2 -> StateImage.of(null, bytes, number % 2 == 0);
            case 3 -> StateImage.of(bytes, new byte[number % 9], true);
            default -> StateImage.of(new byte[0], bytes, false);
        };
    }
}
