package io.tallystick.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Figures as text for people, the same in every locale. */
public final class Text {
    /** The text for a missing figure. */
    public static final String NOTHING = "-";

    private Text() {}

    /** {@code 135,128}. */
    public static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    /** Three significant digits: {@code 8.25}, {@code 73.1}, {@code 877}, {@code 1,234}. */
    public static String three(double value) {
        double size = Math.abs(value);
        if (size >= 99.95) {
            return whole(value);
        }
        return String.format(Locale.ROOT, size >= 9.995 ? "%.1f" : "%.2f", value);
    }

    /** A short form for a mark on an axis: {@code 950}, {@code 12k}, {@code 1.5M}. */
    public static String brief(double value) {
        double size = Math.abs(value);
        if (size >= 999_500) {
            return short3(value / 1_000_000) + "M";
        }
        return size >= 999.5 ? short3(value / 1_000) + "k" : short3(value);
    }

    private static String short3(double value) {
        String text = Math.abs(value) >= 99.5 ? whole(value) : String.format(Locale.ROOT, "%.3g", value);
        return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }

    /** Microseconds in the unit that fits: {@code 73.1 us}, {@code 2.41 ms}, {@code 1.20 s}. */
    public static String micros(double micros) {
        if (micros >= 999_500) {
            return three(micros / 1_000_000) + " s";
        }
        return micros >= 999.5 ? three(micros / 1_000) + " ms" : three(micros) + " us";
    }

    /** A share of one: {@code 84 %}. */
    public static String percent(double share) {
        return String.format(Locale.ROOT, share < 0.0995 ? "%.1f %%" : "%.0f %%", share * 100);
    }

    /** A factor: {@code 1.82x}. */
    public static String times(double factor) {
        return three(factor) + "x";
    }

    /** Minutes and seconds, and hours if there are any: {@code 1:05}, {@code 1:02:05}. */
    public static String clock(Duration duration) {
        long seconds = Math.max(0, Math.round(duration.toMillis() / 1000.0));
        return seconds >= 3600
                ? String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
                : String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
    }

    /** {@code 1 thread}, {@code 16 threads}. */
    public static String counted(int count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** {@code 1.5 s}. */
    public static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }

    /** The text with spaces after it, up to {@code width} characters. */
    static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    /** The text in lines of at most {@code columns} characters, broken at spaces where there are any. */
    static List<String> wrapped(String text, int columns) {
        List<String> lines = new ArrayList<>();
        String rest = text.strip();
        while (rest.length() > columns) {
            int space = rest.lastIndexOf(' ', columns);
            int end = space > 0 ? space : columns;
            lines.add(rest.substring(0, end).stripTrailing());
            rest = rest.substring(end).stripLeading();
        }
        lines.add(rest);
        return lines;
    }
}
