package io.tallystick.nativeio;

import java.nio.ByteBuffer;
import java.util.Random;

/** Buffers for writes past the page cache. */
final class Buffers {
    private Buffers() {}

    static ByteBuffer aligned(int length, int alignment) {
        return ByteBuffer.allocateDirect(length + alignment)
                .alignedSlice(alignment)
                .slice(0, length);
    }

    static ByteBuffer random(Random random, int length, int alignment) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return aligned(length, alignment).put(0, bytes);
    }

    static byte[] bytesOf(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }
}
