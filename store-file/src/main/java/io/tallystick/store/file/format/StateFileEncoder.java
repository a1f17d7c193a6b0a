package io.tallystick.store.file.format;

import static io.tallystick.store.file.format.StateFileFormat.*;

import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Makes the bytes of the state files that one opening of a store writes. */
public final class StateFileEncoder {
    private final byte[] store;
    private final long opening;

    /**
     * An encoder of the files of one opening.
     *
     * @param store unique id of the store, {@value StateFileFormat#STORE_BYTES} bytes
     * @param opening a random number, so that no two files ever have the same opening and sequence
     */
    public StateFileEncoder(byte[] store, long opening) {
        this.store = store;
        this.opening = opening;
    }

    /** The unique id of the store. */
    public byte[] store() {
        return store;
    }

    /**
     * The whole file of a key, ready to be written.
     *
     * @param type the key's type in UTF-8
     */
    public ByteBuffer encode(StateKey key, byte[] type, StateImage image, long sequence) {
        int idBytes = key.id().length();
        byte[] file = new byte[Math.toIntExact(fileBytes(type.length, idBytes, image.bytes()))];
        int at = HEADER_BYTES;
        System.arraycopy(type, 0, file, at, type.length);
        at += type.length;
        key.id().copyTo(file, at);
        at += idBytes;
        at += put(image.committed(), file, at);
        at += put(image.shadow(), file, at);

        ByteBuffer header = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        header.put(MAGIC_OFFSET, MAGIC);
        header.putShort(VERSION_OFFSET, (short) VERSION);
        header.put(FLAGS_OFFSET, (byte) flags(image));
        header.put(ID_LENGTH_OFFSET, (byte) idBytes);
        header.putShort(TYPE_LENGTH_OFFSET, (short) type.length);
        header.put(STORE_OFFSET, store);
        header.putLong(OPENING_OFFSET, opening);
        header.putLong(SEQUENCE_OFFSET, sequence);
        header.putInt(COMMITTED_LENGTH_OFFSET, length(image.committed()));
        header.putInt(SHADOW_LENGTH_OFFSET, length(image.shadow()));
        header.putInt(BODY_CHECKSUM_OFFSET, checksum(file, HEADER_BYTES, at - HEADER_BYTES));
        header.putInt(HEADER_CHECKSUM_OFFSET, checksum(file, 0, HEADER_CHECKSUM_OFFSET));
        return header;
    }

    private static int flags(StateImage image) {
        return (image.committed() == null ? 0 : HAS_COMMITTED)
                | (image.shadow() == null ? 0 : HAS_SHADOW)
                | (image.isHidden() ? IS_HIDDEN : 0);
    }

    private static int length(byte[] value) {
        return value == null ? 0 : value.length;
    }

    private static int put(byte[] value, byte[] file, int at) {
        if (value == null) {
            return 0;
        }
        System.arraycopy(value, 0, file, at, value.length);
        return value.length;
    }
}
