package io.tallystick.reaper;

import java.util.Collection;
import java.util.Comparator;

/** The name a user probably meant: the one at the least Levenshtein distance. */
final class NearestName {
    private NearestName() {}

    static String of(String text, Collection<String> names) {
        return names.stream()
                .min(Comparator.<String>comparingInt(name -> distance(text, name))
                        .thenComparing(name -> name))
                .orElse("");
    }

    private static int distance(String a, String b) {
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
