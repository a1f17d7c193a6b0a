package io.tallystick.testkit;

import java.util.Random;

/** Random generators for seeds that are small neighbouring numbers, such as 1, 2, 3. */
public final class Seeds {
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private Seeds() {}

    /**
     * A generator whose first values differ for neighbouring seeds. {@link Random} makes the same first choice among
     * four for hundreds of seeds in a row. The mixing function is that of SplitMix64 (Steele, Lea, Flood, 2014).
     */
    public static Random random(long seed) {
        long mixed = seed * GOLDEN;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return new Random(mixed ^ mixed >>> 31);
    }
}
