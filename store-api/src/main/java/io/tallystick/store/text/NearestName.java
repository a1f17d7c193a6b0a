package io.tallystick.store.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** The name a user probably meant, so that an error can offer it. */
public final class NearestName {
    private NearestName() {}

    /**
     * The one of {@code names} at the least Levenshtein distance from {@code text}, where capital letters and small
     * ones are the same; empty where there are none.
     */
    public static String of(String text, Collection<String> names) {
        return names.stream()
                .min(Comparator.<String>comparingInt(name -> distance(text, name))
                        .thenComparing(name -> name))
                .orElse("");
    }

    /** As {@link #of}, but only a name that is a likely misspelling: up to a third of its letters differ, or two. */
    public static Optional<String> near(String text, Collection<String> names) {
        return Optional.of(of(text, names)).filter(name -> distance(text, name) <= Math.max(2, name.length() / 3));
    }

    private static int distance(String text, String name) {
        String a = text.toLowerCase(Locale.ROOT);
        String b = name.toLowerCase(Locale.ROOT);
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
