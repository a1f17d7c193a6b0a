package io.tallystick.store.text;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 100ms}, {@code 5s}, {@code 2m}, {@code 1h}, or ISO-8601 ({@code PT0.1S}). */
public final class DurationText {
    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,18}) ?(ns|us|ms|s|m|h)");

    private DurationText() {}

    /**
     * The duration that the text stands for.
     *
     * @throws IllegalArgumentException it stands for none
     */
    public static Duration parse(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Matcher matcher = AMOUNT.matcher(text.toLowerCase(Locale.ROOT));
        try {
            return matcher.matches() ? of(Long.parseLong(matcher.group(1)), matcher.group(2)) : Duration.parse(text);
        } catch (DateTimeParseException | ArithmeticException bad) {
            throw new IllegalArgumentException("not a duration; write it like 100ms, 5s, 2m, 1h", bad);
        }
    }

    private static Duration of(long amount, String unit) {
        return switch (unit) {
            case "ns" -> Duration.ofNanos(amount);
            case "us" -> Duration.ofNanos(Math.multiplyExact(amount, 1000L));
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            default -> Duration.ofHours(amount);
        };
    }
}
