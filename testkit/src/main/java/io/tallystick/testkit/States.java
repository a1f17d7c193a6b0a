package io.tallystick.testkit;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** State bytes for tests. */
final class States {
    private States() {}

    /** The bytes of the text. */
    static byte[] of(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The text whose bytes these are. */
    static String text(byte[] state) {
        return new String(state, StandardCharsets.UTF_8);
    }

    /** This many bytes, the same for the same seed. */
    static byte[] random(int length, long seed) {
        byte[] state = new byte[length];
        new Random(seed).nextBytes(state);
        return state;
    }
}
