package io.tallystick.rules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares what a rule finds with the lists of its exceptions, and fails when they differ.
 *
 * <p>{@code exceptions/RULE.txt} has a line for each place where the rule does not hold yet: the place, and the number
 * of violations if it is not one. More violations than listed fail, and so do fewer: the line then goes, or its number
 * becomes smaller. {@code allowed/RULE.txt} has a line {@code PLACE | REASON} for each place where the rule need not
 * hold; a place that ends in a slash stands for all below it. A line that allows nothing fails.
 *
 * <p>ArchUnit's FreezingArchRule does the same for rules of ArchUnit alone. It shrinks its list by itself and in
 * silence, and half of our rules read source text.
 */
final class RuleLists {
    /** The system property that has the lists written anew. */
    static final String REWRITE = "house-rules.rewrite";

    private static final String DIRECTORY = "house-rules/src/test/resources";
    private static final int MOST_DETAILS = 8;

    /** What to do with a list that differs. */
    enum Rewriting {
        /** Nothing: fail. */
        NEVER(""),
        /** Remove lines and lower numbers; new violations fail. */
        REMOVE("remove"),
        /** Write the list as the project is today. */
        REMOVE_AND_ADD("remove,add");

        private final String word;

        Rewriting(String word) {
            this.word = word;
        }

        static Rewriting of(String word) {
            for (Rewriting rewriting : values()) {
                if (rewriting.word.equals(word)) {
                    return rewriting;
                }
            }
            throw new IllegalArgumentException(
                    "-D" + REWRITE + "=" + word + " is neither \"remove\" nor \"remove,add\"");
        }
    }

    private final Path directory;
    private final Rewriting rewriting;

    /**
     * @param directory has {@code exceptions} and {@code allowed}
     */
    RuleLists(Path directory, Rewriting rewriting) {
        this.directory = directory;
        this.rewriting = rewriting;
    }

    /** The lists in the source of this module. */
    static RuleLists ofTheProject() {
        return new RuleLists(Project.here().root().resolve(DIRECTORY), Rewriting.of(System.getProperty(REWRITE, "")));
    }

    /** Checks that a rule is broken only where its lists say so, and no more and no less than they say. */
    void check(Rule rule, Findings findings) {
        List<String> problems = new ArrayList<>();
        Map<String, Integer> found = withoutAllowed(rule, findings, problems);
        Path list = exceptionsOf(rule);
        Map<String, Integer> listed = rewritten(list, readExceptions(list, problems), found);
        found.forEach((place, count) -> {
            int limit = listed.getOrDefault(place, 0);
            if (count > limit) {
                problems.add("new: " + place + " has " + count + ", listed are " + limit + ". " + rule.remedy()
                        + detailsOf(findings, place));
            }
        });
        listed.forEach((place, limit) -> {
            int count = found.getOrDefault(place, 0);
            if (count == 0) {
                problems.add("no longer needed: remove this line from " + nameOf(list) + ": " + lineOf(place, limit));
            } else if (count < limit) {
                problems.add("better than listed: write " + lineOf(place, count) + " instead of " + lineOf(place, limit)
                        + " in " + nameOf(list));
            }
        });
        if (!problems.isEmpty()) {
            throw new AssertionError("house rule " + rule + ": " + rule.demand() + "\n  "
                    + String.join("\n  ", problems)
                    + "\nCONTRIBUTING.md has a chapter on house rules; -D" + REWRITE
                    + "=remove removes what is no longer needed");
        }
    }

    /** The number of places where one of these rules need not hold, or does not hold yet. */
    int countOf(Rule... rules) {
        int count = 0;
        for (Rule rule : rules) {
            count += linesOf(directory.resolve("allowed").resolve(rule.fileName()))
                    .size();
            count += linesOf(exceptionsOf(rule)).size();
        }
        return count;
    }

    private Map<String, Integer> withoutAllowed(Rule rule, Findings findings, List<String> problems) {
        Map<String, Integer> found = new TreeMap<>(findings.counts());
        Path list = directory.resolve("allowed").resolve(rule.fileName());
        List<String> lines = linesOf(list);
        checkSorted(list, lines, problems);
        for (String line : lines) {
            String[] parts = line.split(" \\| ", 2);
            if (parts.length != 2 || parts[1].isBlank()) {
                problems.add(nameOf(list) + ": this line gives no reason after \" | \": " + line);
            } else if (!found.keySet().removeIf(place -> isWithin(place, parts[0]))) {
                problems.add("allows nothing: remove this line from " + nameOf(list) + ": " + line);
            }
        }
        return found;
    }

    private static boolean isWithin(String place, String allowed) {
        return allowed.endsWith("/") ? place.startsWith(allowed) : place.equals(allowed);
    }

    private Path exceptionsOf(Rule rule) {
        return directory.resolve("exceptions").resolve(rule.fileName());
    }

    private Map<String, Integer> readExceptions(Path list, List<String> problems) {
        List<String> lines = linesOf(list);
        if (rewriting == Rewriting.NEVER) {
            checkSorted(list, lines, problems);
        }
        Map<String, Integer> listed = new TreeMap<>();
        for (String line : lines) {
            int space = line.lastIndexOf(' ');
            boolean isCounted = space > 0 && line.substring(space + 1).matches("[1-9]\\d{0,8}");
            String place = isCounted ? line.substring(0, space) : line;
            listed.put(place, isCounted ? Integer.parseInt(line.substring(space + 1)) : 1);
        }
        return listed;
    }

    private static void checkSorted(Path list, List<String> lines, List<String> problems) {
        for (int i = 1; i < lines.size(); i++) {
            if (lines.get(i - 1).compareTo(lines.get(i)) >= 0) {
                problems.add(
                        nameOf(list) + " is not sorted, or has a line twice: put this line before the one above it: "
                                + lines.get(i));
            }
        }
    }

    private Map<String, Integer> rewritten(Path list, Map<String, Integer> listed, Map<String, Integer> found) {
        if (rewriting == Rewriting.NEVER) {
            return listed;
        }
        Map<String, Integer> written = new LinkedHashMap<>();
        found.forEach((place, count) -> {
            if (rewriting == Rewriting.REMOVE_AND_ADD) {
                written.put(place, count);
            } else if (listed.containsKey(place)) {
                written.put(place, Math.min(count, listed.get(place)));
            }
        });
        List<String> lines = new ArrayList<>();
        written.forEach((place, count) -> lines.add(lineOf(place, count)));
        lines.sort(null);
        try {
            if (lines.isEmpty()) {
                Files.deleteIfExists(list);
            } else if (!lines.equals(linesOf(list))) {
                Files.createDirectories(list.getParent());
                Files.write(list, lines);
            }
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
        return written;
    }

    /** The name of a list in a message: from the project's root. */
    private static String nameOf(Path list) {
        return DIRECTORY + "/" + list.getParent().getFileName() + "/" + list.getFileName();
    }

    private static String lineOf(String place, int count) {
        return count == 1 ? place : place + " " + count;
    }

    private static String detailsOf(Findings findings, String place) {
        List<String> details = findings.detailsOf(place);
        StringBuilder text = new StringBuilder();
        details.stream().limit(MOST_DETAILS).forEach(detail -> text.append("\n    ")
                .append(detail));
        if (details.size() > MOST_DETAILS) {
            text.append("\n    and ").append(details.size() - MOST_DETAILS).append(" more");
        }
        return text.toString();
    }

    private static List<String> linesOf(Path list) {
        try {
            return Files.exists(list) ? Files.readAllLines(list) : List.of();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
