package io.tallystick.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a reader of docs/tutorial.md does, in the order of the page. A block with a path behind its language is a file
 * to create; in a block marked {@code console} a line after {@code $} is a command, and the lines below are its
 * output. What other blocks hold is only looked at.
 */
final class Tutorial {
    /** Something to do. */
    sealed interface Step permits CreateFile, Command {}

    /** A file of the reader's own, relative to the directory where the next command runs. */
    record CreateFile(Path path, String content) implements Step {}

    /**
     * A command line and what it prints; a line {@code ...} stands for any lines, {@code ...} in a line for anything.
     */
    record Command(String line, List<String> output) implements Step {
        boolean isInBackground() {
            return line.endsWith("&");
        }
    }

    private Tutorial() {}

    /** The steps of the page. */
    static List<Step> stepsOf(Path document) throws IOException {
        List<Step> steps = new ArrayList<>();
        List<String> block = null;
        String kind = "";
        for (String line : Files.readAllLines(document)) {
            if (!line.startsWith("```")) {
                if (block != null) {
                    block.add(line);
                }
            } else if (block == null) {
                kind = line.substring(3);
                block = new ArrayList<>();
            } else {
                add(kind, block, steps);
                block = null;
            }
        }
        return steps;
    }

    private static void add(String kind, List<String> block, List<Step> steps) {
        String[] words = kind.split(" ");
        if (kind.equals("console")) {
            block.forEach(line -> {
                if (line.startsWith("$ ")) {
                    steps.add(new Command(line.substring(2), new ArrayList<>()));
                } else {
                    ((Command) steps.get(steps.size() - 1)).output.add(line);
                }
            });
        } else if (words.length == 2) {
            steps.add(new CreateFile(Path.of(words[1]), String.join("\n", block) + "\n"));
        }
    }
}
