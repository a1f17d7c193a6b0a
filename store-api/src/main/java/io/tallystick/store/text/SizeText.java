package io.tallystick.store.text;

import java.util.Locale;

/** Sizes with units, as people write them: {@code 64MiB}, {@code 64m}, {@code 4096}. Units are powers of 1024. */
public final class SizeText {
    private static final String UNITS = "kmgt";

    private SizeText() {}

    /**
     * The number of bytes that the text stands for.
     *
     * @throws IllegalArgumentException it stands for none, or for more than a long can hold
     */
    public static long parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        String number = lower.replaceFirst("(ib|b)$", "");
        int shift = 0;
        if (!number.isEmpty() && UNITS.indexOf(number.charAt(number.length() - 1)) >= 0) {
            shift = 10 * (UNITS.indexOf(number.charAt(number.length() - 1)) + 1);
            number = number.substring(0, number.length() - 1);
        } else if (lower.endsWith("ib")) {
            throw new IllegalArgumentException("not a size such as 64MiB");
        }
        long count;
        try {
            count = Long.parseLong(number.trim());
        } catch (NumberFormatException bad) {
            throw new IllegalArgumentException("not a size such as 64MiB", bad);
        }
        if (count < 0 || count > Long.MAX_VALUE >> shift) {
            throw new IllegalArgumentException("not a size such as 64MiB");
        }
        return count << shift;
    }

    /** The size in the largest unit that it is a multiple of, such as {@code 64KiB}. */
    public static String format(long bytes) {
        String[] units = {"", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        long count = bytes;
        while (unit < units.length - 1 && count >= 1024 && count % 1024 == 0) {
            count /= 1024;
            unit++;
        }
        return count + units[unit];
    }
}
