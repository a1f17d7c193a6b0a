package io.tallystick.store.file;

import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is in the golden store of the test resources, and the numbers with which it was written. */
final class GoldenStore {
    /** The store, among the resources of the tests. */
    static final String RESOURCE = "golden/file-v1";

    static final String STORE = "00112233445566778899aabbccddeeff";
    static final long OPENING = 0x0102030405060708L;

    private GoldenStore() {}

    /** The keys and what they hold, in the order in which they were written. */
    static Map<StateKey, StateImage> images() {
        Map<StateKey, StateImage> images = new LinkedHashMap<>();
        images.put(StateKey.parse("/AtomicAction:0a1b"), StateImage.ABSENT.write(text("abc")));
        images.put(
                StateKey.parse("/AtomicAction/Child:ff"), StateImage.of(text("committed"), text("the shadow"), true));
        images.put(StateKey.parse("/AtomicAction:00"), StateImage.of(null, new byte[0], false));
        images.put(
                StateKey.parse("/\u00fcber/a.b-c/" + "x".repeat(121) + ":" + "07".repeat(64)),
                StateImage.ABSENT.write(text("0123456789".repeat(500))));
        return images;
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
