package io.tallystick.benchmarks;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;

/**
 * A stream for text, and its abilities. The script passes which streams are terminals and how wide they are, because
 * Java does not know it.
 *
 * @param stream receives the text
 * @param isTerminal whether a line can be redrawn
 * @param isColoured whether escape sequences may be printed
 * @param columns width in characters; {@link #UNLIMITED} for a file
 */
public record Terminal(PrintStream stream, boolean isTerminal, boolean isColoured, int columns) {
    /** Lines of any length fit. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    static final String COLUMNS_KEY = "tallystick.bench.columns";
    static final String STANDARD_OUTPUT_KEY = "tallystick.bench.stdout-terminal";
    static final String STANDARD_ERROR_KEY = "tallystick.bench.stderr-terminal";

    private static final int USUAL_COLUMNS = 80;
    private static final int LEAST_TEXT_COLUMNS = 20;
    private static final String RESET = "\033[0m";

    /** For tables that are part of a page: no colour, any width. */
    public static final Terminal NOWHERE =
            plain(new PrintStream(PrintStream.nullOutputStream(), false, StandardCharsets.UTF_8));

    public static Terminal standardOutput(Properties properties, Map<String, String> environment) {
        return of(System.out, properties.getProperty(STANDARD_OUTPUT_KEY), properties, environment);
    }

    public static Terminal standardError(Properties properties, Map<String, String> environment) {
        return of(System.err, properties.getProperty(STANDARD_ERROR_KEY), properties, environment);
    }

    /** Text for a file: no colour, any width. */
    public static Terminal plain(PrintStream stream) {
        return new Terminal(stream, false, false, UNLIMITED);
    }

    private static Terminal of(
            PrintStream stream, String isTerminal, Properties properties, Map<String, String> environment) {
        boolean terminal = Boolean.parseBoolean(isTerminal);
        boolean coloured = terminal
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !"dumb".equals(environment.get("TERM"));
        return new Terminal(
                stream, terminal, coloured, terminal ? columns(properties.getProperty(COLUMNS_KEY)) : UNLIMITED);
    }

    private static int columns(String text) {
        try {
            int columns = text == null ? USUAL_COLUMNS : Integer.parseInt(text.trim());
            return columns > 0 ? columns : USUAL_COLUMNS;
        } catch (NumberFormatException unknown) {
            return USUAL_COLUMNS;
        }
    }

    public void line(String text) {
        stream.println(text);
    }

    /** A line of two columns. A long text continues on further lines in the second column. */
    public void entry(String label, int labelColumns, String text) {
        int room = Math.max(LEAST_TEXT_COLUMNS, columns == UNLIMITED ? UNLIMITED : columns - labelColumns);
        String before = Text.padded(label, labelColumns);
        for (String part : Text.wrapped(text, room)) {
            line(before + part);
            before = " ".repeat(labelColumns);
        }
    }

    public String bold(String text) {
        return escaped("1", text);
    }

    public String dim(String text) {
        return escaped("2", text);
    }

    public String red(String text) {
        return escaped("1;31", text);
    }

    public String green(String text) {
        return escaped("32", text);
    }

    public String yellow(String text) {
        return escaped("33", text);
    }

    private String escaped(String code, String text) {
        return isColoured && !text.isEmpty() ? "\033[" + code + "m" + text + RESET : text;
    }

    /** The columns of the text, without escape sequences. */
    public static int width(String text) {
        return text.replaceAll("\033\\[[0-9;]*m", "").length();
    }
}
