package io.tallystick.testkit.oracle;

/**
 * The part of a sweep that a build takes which has no time for all: each {@code step}-th operation from the
 * {@code first}-th. {@code -Dtestkit.share=1/4} takes the second of every four; by default all are taken.
 *
 * @param first counted from 0
 * @param step at least 1
 */
record SweepShare(int first, int step) {
    // Not below "tallystick.": stores that read the system properties refuse a key that they do not know.
    private static final String KEY = "testkit.share";

    SweepShare {
        if (step < 1 || first < 0 || first >= step) {
            throw refusal(first + "/" + step);
        }
    }

    /** The share that the build asks for. */
    static SweepShare asked() {
        return parse(System.getProperty(KEY, "0/1"));
    }

    static SweepShare parse(String text) {
        String[] parts = text.split("/", -1);
        try {
            if (parts.length == 2) {
                return new SweepShare(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
            }
        } catch (NumberFormatException noNumber) {
            // told below
        }
        throw refusal(text);
    }

    private static IllegalArgumentException refusal(String text) {
        return new IllegalArgumentException(
                KEY + "=" + text + " is no share; write K/N with 0 <= K < N, such as 1/4 for the second of every four");
    }
}
