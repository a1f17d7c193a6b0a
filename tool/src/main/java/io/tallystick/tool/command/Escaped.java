package io.tallystick.tool.command;

import java.nio.file.FileSystems;
import java.util.Locale;

/**
 * Text from disk, made safe for a terminal: a control character is shown as a backslash, a u and four hexadecimal
 * digits.
 */
public final class Escaped {
    private static final int ESCAPE_LENGTH = 6;

    private Escaped() {}

    /** A number and its noun in words: {@code 1 place}, {@code 1,000 places}. */
    public static String count(long number, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", number, noun, number == 1 ? "" : "s");
    }

    /**
     * The text with control, format and lone surrogate characters, and backslashes, escaped; {@link #parse} undoes it.
     */
    public static String of(String text) {
        StringBuilder safe = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (isSafe(point)) {
                safe.appendCodePoint(point);
            } else {
                escape(point, safe);
            }
        });
        return safe.toString();
    }

    /**
     * A path, or what tells where a log is, as {@link #of}. On Windows its backslashes stay as they are: people copy
     * paths from an answer into the next command.
     */
    public static String place(String place) {
        return place(place, FileSystems.getDefault().getSeparator().equals("\\"));
    }

    static String place(String place, boolean isWindows) {
        return isWindows ? message(place) : of(place);
    }

    /** A JSON text with the same characters escaped in its strings, where alone they can stand; it says the same. */
    public static String json(String json) {
        StringBuilder safe = new StringBuilder(json.length());
        json.codePoints().forEach(point -> {
            if (isSafe(point) || point == '\\') {
                safe.appendCodePoint(point);
            } else {
                escape(point, safe);
            }
        });
        return safe.toString();
    }

    private static void escape(int point, StringBuilder target) {
        for (char unit : Character.toChars(point)) {
            target.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
        }
    }

    /** As {@link #of}, but backslashes are kept: for messages, in which names are escaped already. */
    public static String message(String text) {
        return of(text).replace("\\u005c", "\\");
    }

    /**
     * The text of which {@link #of} makes this one.
     *
     * @throws IllegalArgumentException a backslash is not followed by u and four hexadecimal digits
     */
    public static String parse(String escaped) {
        StringBuilder text = new StringBuilder(escaped.length());
        int at = 0;
        while (at < escaped.length()) {
            char c = escaped.charAt(at);
            if (c != '\\') {
                text.append(c);
                at++;
                continue;
            }
            if (at + ESCAPE_LENGTH > escaped.length()
                    || !escaped.substring(at, at + ESCAPE_LENGTH).matches("\\\\u[0-9a-fA-F]{4}")) {
                throw new IllegalArgumentException("'" + of(escaped)
                        + "' has a backslash that begins no escape such as " + "\\u0009; write a backslash as \\u005c");
            }
            text.append((char) Integer.parseInt(escaped.substring(at + 2, at + ESCAPE_LENGTH), 16));
            at += ESCAPE_LENGTH;
        }
        return text.toString();
    }

    private static boolean isSafe(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> point != '\\';
        };
    }
}
