package io.tallystick.testkit;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** State bytes for tests. */
public final class States {
    private States() {}

    /** The bytes of the text. */
    public static byte[] of(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The text whose bytes these are. */
    public static String text(byte[] state) {
        return new String(state, StandardCharsets.UTF_8);
    }

    /** Random bytes of this length; the same seed gives the same bytes. */
    public static byte[] random(int length, long seed) {
        byte[] state = new byte[length];
        new Random(seed).nextBytes(state);
        return state;
    }
}
