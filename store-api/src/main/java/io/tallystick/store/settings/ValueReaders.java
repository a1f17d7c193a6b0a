package io.tallystick.store.settings;

import io.tallystick.store.text.DurationText;
import io.tallystick.store.text.NearestName;
import io.tallystick.store.text.SizeText;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Readers for the text of a {@link Setting}. Each throws {@link IllegalArgumentException} with the reason. */
public final class ValueReaders {
    private static final Pattern DRIVE_ALONE = Pattern.compile("[A-Za-z]:(?![\\\\/])");
    // A drive, or a backslash before the first slash: a name that has one is written like ./a\b.
    private static final Pattern OF_WINDOWS = Pattern.compile("[A-Za-z]:[\\\\/]|[^/]*\\\\");
    private static final Pattern VARIABLE_OF_WINDOWS = Pattern.compile("%[A-Za-z_][A-Za-z0-9_()]*%");

    private ValueReaders() {}

    /** The text itself. */
    public static Function<String, String> text() {
        return text -> text;
    }

    /**
     * A path of the default file system, which is not empty. What a shell or a framework should have replaced is
     * refused, because it would be the name of a directory below the working directory.
     */
    public static Function<String, Path> path() {
        return path(FileSystems.getDefault().getSeparator().equals("\\"));
    }

    static Function<String, Path> path(boolean isWindows) {
        return text -> {
            if (text.isEmpty()) {
                throw new IllegalArgumentException("the path is empty");
            }
            if (text.contains("${")) {
                throw new IllegalArgumentException("${...} is not replaced here; write the path itself");
            }
            if (VARIABLE_OF_WINDOWS.matcher(text).lookingAt()) {
                throw new IllegalArgumentException("%...% is not replaced here; write the path itself");
            }
            if (text.startsWith("~")) {
                throw new IllegalArgumentException("~ is not replaced here; write the path of the home directory");
            }
            if (text.regionMatches(true, 0, "file:", 0, "file:".length())) {
                throw new IllegalArgumentException("a URL is no path; write it like /var/lib/tx");
            }
            if (DRIVE_ALONE.matcher(text).lookingAt()) {
                throw new IllegalArgumentException(
                        "a drive without a slash behind it is no place, and a properties file"
                                + " drops single backslashes; write it like C:/tx");
            }
            if (!isWindows && OF_WINDOWS.matcher(text).lookingAt()) {
                throw new IllegalArgumentException(
                        "a path of Windows would be the name of one file here; write it like /var/lib/tx,"
                                + " and a name that has a backslash like ./a\\b");
            }
            try {
                return Path.of(text);
            } catch (InvalidPathException bad) {
                throw new IllegalArgumentException("not a path, " + bad.getReason(), bad);
            }
        };
    }

    /** One of these texts, in capital letters or small ones; the parser then reads it as it stands here. */
    public static <T> Function<String, T> choice(List<String> values, Function<String, T> parser) {
        return text -> values.stream()
                .filter(text::equalsIgnoreCase)
                .findFirst()
                .map(parser)
                .orElseThrow(() -> new IllegalArgumentException(NearestName.near(text, values)
                        .map(near -> "did you mean '" + near + "'?")
                        .orElseGet(() -> "write one of " + String.join(", ", values))));
    }

    /** The text itself, but one of these texts as it stands here, if only capital letters and small ones differ. */
    public static Function<String, String> textOr(List<String> values) {
        return text ->
                values.stream().filter(text::equalsIgnoreCase).findFirst().orElse(text);
    }

    /**
     * As {@link #textOr}, for names that others may add to: a text that is nearly one of these is taken for a
     * misspelling of it.
     */
    public static Function<String, String> nameOr(List<String> values) {
        return textOr(values).andThen(name -> {
            if (!values.contains(name)) {
                NearestName.near(name, values).ifPresent(near -> {
                    throw new IllegalArgumentException("did you mean '" + near + "'?");
                });
            }
            return name;
        });
    }

    /** {@code true} or {@code false}. */
    public static Function<String, Boolean> truth() {
        return text -> {
            if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
                throw new IllegalArgumentException("write true or false");
            }
            return Boolean.valueOf(text);
        };
    }

    /** A whole number. */
    public static Function<String, Integer> integer() {
        return text -> {
            try {
                return Integer.parseInt(text);
            } catch (NumberFormatException bad) {
                throw new IllegalArgumentException("not a whole number", bad);
            }
        };
    }

    /** A whole number from {@code lowest} to {@code highest}. */
    public static Function<String, Integer> integer(int lowest, int highest) {
        return text -> {
            int value = integer().apply(text);
            if (value < lowest || value > highest) {
                throw new IllegalArgumentException("not between " + lowest + " and " + highest);
            }
            return value;
        };
    }

    /** A number of bytes from {@code lowest} to {@code highest}, with a unit or without. */
    public static Function<String, Long> size(long lowest, long highest) {
        return text -> {
            long bytes = SizeText.parse(text);
            if (bytes < lowest || bytes > highest) {
                throw new IllegalArgumentException(
                        "not between " + SizeText.format(lowest) + " and " + SizeText.format(highest));
            }
            return bytes;
        };
    }

    /** A number of bytes from {@code lowest} to {@code highest} that is a power of two. */
    public static Function<String, Long> powerOfTwo(long lowest, long highest) {
        return text -> {
            long bytes = size(lowest, highest).apply(text);
            if (Long.bitCount(bytes) != 1) {
                throw new IllegalArgumentException("not a power of two");
            }
            return bytes;
        };
    }

    /** A duration with a unit, such as {@code 100ms}. */
    public static Function<String, Duration> duration() {
        return DurationText::parse;
    }

    /** A duration from {@code lowest} to {@code highest}. */
    public static Function<String, Duration> duration(Duration lowest, Duration highest) {
        return text -> {
            Duration value = DurationText.parse(text);
            if (value.compareTo(lowest) < 0 || value.compareTo(highest) > 0) {
                throw new IllegalArgumentException(
                        "not between " + lowest.toSeconds() + "s and " + highest.toSeconds() + "s");
            }
            return value;
        };
    }

    /** A text that the pattern matches as a whole. */
    public static Function<String, String> matching(String pattern) {
        return text -> {
            if (!text.matches(pattern)) {
                throw new IllegalArgumentException("does not match " + pattern);
            }
            return text;
        };
    }
}
