package io.tallystick.narayana.night;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the resources of a night hold. Each is a directory: a branch is a file with the name of its Xid, which holds the
 * label of its transaction, and the ending of the file is the branch's state. While a resource has the file {@value
 * #AWAY}, it does not answer.
 *
 * @param directory of all resources
 */
public record NightBook(Path directory) {
    /** Two resources that answer, and one that is lost. */
    public static final List<String> PRESENT = List.of("accounts", "stock");

    /** The lost one. */
    public static final String LOST = "archive";

    /** States of a branch. */
    public static final String PREPARED = "prepared";

    public static final String COMMITTED = "committed";
    public static final String ROLLED_BACK = "rolledback";

    static final String AWAY = "away";

    /** The states of the branches, such as {@code accounts=committed stock=prepared}, by the labels. */
    public Map<String, String> states() throws IOException {
        Map<String, String> states = new TreeMap<>();
        for (String resource : List.of("accounts", "archive", "stock")) {
            for (Path file : branches(resource)) {
                String state = resource + "=" + file.getFileName().toString().split("\\.")[1];
                states.merge(Files.readString(file), state, (one, other) -> one + " " + other);
            }
        }
        return states;
    }

    /** The Xid of a branch, as the commands take it. */
    public String xid(String label, String resource) throws IOException {
        for (Path file : branches(resource)) {
            if (Files.readString(file).equals(label)) {
                String[] parts = file.getFileName().toString().split("[-.]");
                return HexFormat.fromHexDigits(parts[0]) + ":" + parts[1] + ":" + parts[2];
            }
        }
        throw new IllegalStateException(resource + " has no branch of " + label);
    }

    /** Ends a branch as the database's own command would. */
    public void endByHand(String label, String resource, String state) throws IOException {
        for (Path file : branches(resource)) {
            if (Files.readString(file).equals(label)) {
                Files.move(file, Path.of(file.toString().replaceAll("[a-z]+$", state)));
            }
        }
    }

    private List<Path> branches(String resource) throws IOException {
        if (!Files.isDirectory(directory.resolve(resource))) {
            return List.of();
        }
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory.resolve(resource), "*-*-*.*")) {
            files.forEach(found::add);
        }
        return found;
    }
}
