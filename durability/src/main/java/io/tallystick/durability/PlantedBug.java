package io.tallystick.durability;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A small change of one source file that makes a store break its promises.
 *
 * @param name what it is called
 * @param why what is wrong about it
 * @param stage which stage must catch it
 * @param subject in which store
 * @param file the source file, below the project's root
 * @param find the text to be replaced; it must be there exactly once
 * @param replacement what takes its place
 */
record PlantedBug(String name, String why, String stage, String subject, String file, String find, String replacement) {
    private static final String RESOURCE = "planted-bugs.txt";

    /** All of them. */
    static List<PlantedBug> all() {
        try (InputStream resource = PlantedBug.class.getResourceAsStream(RESOURCE)) {
            return parse(new String(resource.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException broken) {
            throw new IllegalStateException(RESOURCE + " cannot be read", broken);
        }
    }

    static List<PlantedBug> parse(String text) {
        List<PlantedBug> bugs = new ArrayList<>();
        Map<String, String> fields = new HashMap<>();
        String block = "";
        List<String> lines = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            if (line.startsWith("--- ")) {
                if (!block.isEmpty()) {
                    fields.put(block, String.join("\n", lines));
                }
                lines.clear();
                block = line.substring(4).equals("end") ? "" : line.substring(4);
                if (block.isEmpty()) {
                    bugs.add(of(fields));
                    fields.clear();
                }
            } else if (!block.isEmpty()) {
                lines.add(line);
            } else if (!line.isBlank() && !line.startsWith("#")) {
                int space = line.indexOf(' ');
                fields.put(line.substring(0, space), line.substring(space + 1));
            }
        }
        return bugs;
    }

    private static PlantedBug of(Map<String, String> fields) {
        return new PlantedBug(
                fields.get("bug"),
                fields.get("why"),
                fields.get("stage"),
                fields.get("subject"),
                fields.get("file"),
                fields.get("find"),
                fields.get("replace"));
    }

    /**
     * The source file with the bug in it.
     *
     * @throws IllegalStateException the text is not there exactly once, so that the bug is void
     */
    String plantedIn(Path root) throws IOException {
        String source = Files.readString(root.resolve(file));
        int at = source.indexOf(find);
        if (at < 0 || source.indexOf(find, at + 1) >= 0) {
            throw new IllegalStateException("the bug " + name + " is void: its text is "
                    + (at < 0 ? "not" : "more than once") + " in " + file + "; adapt planted-bugs.txt");
        }
        return source.substring(0, at) + replacement + source.substring(at + find.length());
    }
}
