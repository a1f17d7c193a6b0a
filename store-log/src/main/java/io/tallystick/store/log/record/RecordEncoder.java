package io.tallystick.store.log.record;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;

/**
 * Encodes records of one store, checksum included, into arrays of their own. Callers do this before they touch anything
 * shared.
 */
public final class RecordEncoder {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, RecordFormat.ORDER)
            .withInvokeExactBehavior();
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, RecordFormat.ORDER)
            .withInvokeExactBehavior();
    private static final byte[] NO_BYTES = {};
    // A transaction manager has a handful of types. Types beyond this number are encoded each time.
    private static final int CACHED_TYPES = 256;

    private final byte[] storeId;
    private final ConcurrentHashMap<String, byte[]> encodedTypes = new ConcurrentHashMap<>();

    /** An encoder for the store with this id of 16 bytes. */
    public RecordEncoder(byte[] storeId) {
        this.storeId = storeId.clone();
    }

    /** The record that gives {@code key} this image. */
    public byte[] encode(StateKey key, StateImage image) {
        byte[] type = encodedType(key.type());
        ObjectId id = key.id();
        byte[] committed = image.committed() == null ? NO_BYTES : image.committed();
        byte[] shadow = image.shadow() == null ? NO_BYTES : image.shadow();
        int bodyOffset = RecordFormat.HEADER_BYTES + type.length + id.length();
        byte[] record = new byte[RecordFormat.aligned(bodyOffset + committed.length + shadow.length)];
        INT.set(record, RecordFormat.LENGTH_OFFSET, record.length);
        record[RecordFormat.KIND_OFFSET] = RecordFormat.KIND_IMAGE;
        record[RecordFormat.FLAGS_OFFSET] = (byte) flagsOf(image);
        SHORT.set(record, RecordFormat.TYPE_LENGTH_OFFSET, (short) type.length);
        SHORT.set(record, RecordFormat.ID_LENGTH_OFFSET, (short) id.length());
        INT.set(record, RecordFormat.COMMITTED_LENGTH_OFFSET, committed.length);
        INT.set(record, RecordFormat.SHADOW_LENGTH_OFFSET, shadow.length);
        System.arraycopy(type, 0, record, RecordFormat.HEADER_BYTES, type.length);
        id.copyTo(record, RecordFormat.HEADER_BYTES + type.length);
        System.arraycopy(committed, 0, record, bodyOffset, committed.length);
        System.arraycopy(shadow, 0, record, bodyOffset + committed.length, shadow.length);
        INT.set(record, RecordFormat.CRC_OFFSET, checksum(storeId, record));
        return record;
    }

    public static int flagsOf(StateImage image) {
        return (image.committed() == null ? 0 : RecordFormat.FLAG_COMMITTED)
                | (image.shadow() == null ? 0 : RecordFormat.FLAG_SHADOW)
                | (image.isHidden() ? RecordFormat.FLAG_HIDDEN : 0);
    }

    static int checksum(byte[] storeId, byte[] record) {
        CRC32C crc = new CRC32C();
        crc.update(storeId, 0, storeId.length);
        crc.update(record, RecordFormat.LENGTH_OFFSET, record.length - RecordFormat.LENGTH_OFFSET);
        return (int) crc.getValue();
    }

    private byte[] encodedType(String type) {
        byte[] encoded = encodedTypes.get(type);
        if (encoded == null) {
            encoded = type.getBytes(StandardCharsets.UTF_8);
            if (encodedTypes.size() < CACHED_TYPES) {
                encodedTypes.putIfAbsent(type, encoded);
            }
        }
        return encoded;
    }
}
