package io.tallystick.store.text;

import java.util.Locale;

/** Text from outside, made safe to stand in a message: control characters escaped, length bounded. */
public final class Printable {
    private static final int MAX_CHARS = 200;

    private Printable() {}

    /** The text with control characters as escapes, cut behind about 200 characters. */
    public static String of(String text) {
        StringBuilder safe = new StringBuilder(Math.min(text.length(), MAX_CHARS) + 16);
        int next = 0;
        for (; next < text.length() && safe.length() < MAX_CHARS; next++) {
            char c = text.charAt(next);
            if (Character.isISOControl(c) || Character.isSurrogate(c) || Character.getType(c) == Character.FORMAT) {
                safe.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                safe.append(c);
            }
        }
        if (next < text.length()) {
            safe.append("... (").append(text.length()).append(" characters)");
        }
        return safe.toString();
    }
}
