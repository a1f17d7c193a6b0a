package io.tallystick.durability.planted;

import io.tallystick.durability.bytecode.CodeChange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A small change of one method that makes a store break its promises.
 *
 * @param name the name of the bug
 * @param why the effect of the bug
 * @param stage the stage that must catch it
 * @param subject the store that has it
 * @param className the class that is changed
 * @param method the changed method, in the form of {@link CodeChange#changed}
 * @param changes the changes, in this order
 */
public record PlantedBug(
        String name,
        String why,
        String stage,
        String subject,
        String className,
        String method,
        List<CodeChange> changes) {
    private static final String RESOURCE = "planted-bugs.txt";

    /** All planted bugs. */
    public static List<PlantedBug> all() {
        try (InputStream resource = PlantedBug.class.getResourceAsStream(RESOURCE)) {
            return parse(new String(resource.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException broken) {
            throw new IllegalStateException(RESOURCE + " cannot be read", broken);
        }
    }

    /** Bugs are separated by empty lines; lines that begin with # are comments. */
    static List<PlantedBug> parse(String text) {
        List<PlantedBug> bugs = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (String line : (text + "\n\n").split("\n", -1)) {
            if (line.isBlank() && !lines.isEmpty()) {
                bugs.add(of(lines));
                lines.clear();
            } else if (!line.isBlank() && !line.startsWith("#")) {
                lines.add(line);
            }
        }
        return bugs;
    }

    private static PlantedBug of(List<String> lines) {
        String place = the("in", lines);
        int dot = place.contains("(") ? place.lastIndexOf('.', place.indexOf('(')) : place.lastIndexOf('.');
        return new PlantedBug(
                the("bug", lines),
                the("why", lines),
                the("stage", lines),
                the("subject", lines),
                place.substring(0, dot),
                place.substring(dot + 1),
                all("change", lines).stream().map(CodeChange::new).toList());
    }

    private static String the(String word, List<String> lines) {
        List<String> found = all(word, lines);
        if (found.size() != 1) {
            throw new IllegalStateException(RESOURCE + ": '" + word + "' is needed once in " + lines);
        }
        return found.get(0);
    }

    private static List<String> all(String word, List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith(word + " "))
                .map(line -> line.substring(word.length() + 1))
                .toList();
    }

    /**
     * The bytes of the class with the bug.
     *
     * @throws IllegalStateException a change does not fit the class any more, so that the bug is void
     */
    byte[] plantedIn(byte[] original, ClassLoader source) {
        try {
            if (changes.isEmpty()) {
                throw new IllegalArgumentException("its changes leave the class as it was");
            }
            return CodeChange.changed(source, original, method, changes);
        } catch (IllegalArgumentException unfit) {
            throw new IllegalStateException(
                    "the bug " + name + " is void: in " + className + "." + method + " " + unfit.getMessage()
                            + "; adapt " + RESOURCE,
                    unfit);
        }
    }
}
