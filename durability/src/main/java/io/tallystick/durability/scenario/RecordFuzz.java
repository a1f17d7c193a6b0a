package io.tallystick.durability.scenario;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.spi.StateImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.zip.CRC32C;

/**
 * Damaged and forged records of journals. The decoder must refuse each damaged record. If the checksum of a forged
 * record fits, it must not read beyond the record.
 */
public final class RecordFuzz implements BiConsumer<Random, Integer> {
    private static final int MARGIN = 64;
    // The offsets of docs/format/journal-v1.md.
    private static final int CRC_OFFSET = 0;
    private static final int LENGTH_OFFSET = 4;

    /** A fuzzer for any number of inputs. */
    public RecordFuzz() {}

    /** Decodes this many inputs. */
    @Override
    public void accept(Random random, Integer inputs) {
        byte[] storeId = new byte[16];
        random.nextBytes(storeId);
        RecordDecoder decoder = new RecordDecoder(storeId);
        byte[] record = encoded(storeId, random);
        for (int i = 0; i < inputs; i++) {
            if (i % 50 == 0) {
                record = encoded(storeId, random);
            }
            boolean sealed = random.nextInt(3) == 0;
            byte[] damaged = damaged(record, random);
            if (sealed) {
                seal(damaged, storeId);
            }
            decode(decoder, record, damaged, sealed);
        }
    }

    private static void decode(RecordDecoder decoder, byte[] record, byte[] damaged, boolean sealed) {
        // The record begins inside a buffer; the decoder must not read the bytes behind it.
        byte[] buffer = new byte[MARGIN + damaged.length];
        System.arraycopy(damaged, 0, buffer, MARGIN, damaged.length);
        try {
            RecordDecoder.Header header = decoder.decodeHeader(buffer, MARGIN, buffer.length);
            StateImage image = RecordDecoder.imageOf(buffer, MARGIN, header);
            if (!sealed && !Arrays.equals(record, damaged)) {
                throw new AssertionError("I3 no invention violated: a damaged record was read as " + image + " of "
                        + header.key().toPrintable());
            }
        } catch (RecordDecoder.BadRecordException refused) {
            if (Arrays.equals(record, damaged)) {
                throw new AssertionError("I1 durable violated: a sound record was refused: " + refused.getMessage());
            }
        } catch (RuntimeException escaped) {
            throw new AssertionError("I15 safe input violated: " + escaped, escaped);
        }
    }

    private static byte[] encoded(byte[] storeId, Random random) {
        byte[] id = new byte[1 + random.nextInt(ObjectId.MAX_BYTES)];
        random.nextBytes(id);
        byte[] committed = random.nextInt(4) == 0 ? null : bytes(random, random.nextInt(120));
        byte[] shadow = random.nextInt(3) == 0 ? bytes(random, random.nextInt(60)) : null;
        StateKey key = StateKey.of("/Fuzz/" + random.nextInt(3), ObjectId.of(id));
        return new RecordEncoder(storeId)
                .encode(key, StateImage.of(committed, shadow, committed != null && random.nextBoolean()));
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] damaged(byte[] record, Random random) {
        byte[] bytes = record.clone();
        switch (random.nextInt(6)) {
            case 0 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
            case 2 -> {
                int at = random.nextInt(RecordFormat.HEADER_BYTES);
                bytes[at] = (byte) random.nextInt();
            }
            case 3 -> {
                int at = random.nextInt(bytes.length / 4) * 4;
                ByteBuffer.wrap(bytes)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(at, random.nextInt() >> random.nextInt(32));
            }
            case 4 -> random.nextBytes(bytes);
            default -> {
                int from = random.nextInt(bytes.length);
                int to = random.nextInt(bytes.length);
                System.arraycopy(record, from, bytes, to, Math.min(bytes.length - to, record.length - from));
            }
        }
        return bytes;
    }

    /** Makes the checksum fit, if the length is possible. */
    private static void seal(byte[] bytes, byte[] storeId) {
        if (bytes.length < RecordFormat.HEADER_BYTES) {
            return;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int length = buffer.getInt(LENGTH_OFFSET);
        if (length <= LENGTH_OFFSET || length > bytes.length) {
            length = bytes.length;
            buffer.putInt(LENGTH_OFFSET, length);
        }
        CRC32C crc = new CRC32C();
        crc.update(storeId);
        crc.update(bytes, LENGTH_OFFSET, length - LENGTH_OFFSET);
        buffer.putInt(CRC_OFFSET, (int) crc.getValue());
    }
}
