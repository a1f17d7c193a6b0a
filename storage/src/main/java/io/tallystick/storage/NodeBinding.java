package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The node that a store belongs to. So a volume at the wrong node is noticed before that node finishes another one's
 * transactions. Written once, as four lines of text; a store that was made without a node has no such file.
 *
 * <pre>
 * tallystick-node 1
 * store=0d9f4c0e-2a52-4d39-bb33-5c8d1f8e6f11
 * node=orders-0
 * crc32c=ccc35b52
 * </pre>
 */
final class NodeBinding {
    /** The file, in the store's directory. */
    static final String FILE_NAME = "tallystick.node";

    private static final Pattern NODE = Pattern.compile("[!-~]{1,64}");
    private static final ChecksummedText TEXT = new ChecksummedText(
            "tallystick-node",
            "store=(?<store>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\nnode=(?<node>[!-~]{1,64})\n",
            "names a store's node",
            "restore this file from a backup, or, if you know whose store it is, delete it and set"
                    + " tallystick.node-id; nothing else was touched");

    private NodeBinding() {}

    /**
     * Checks that the text can be the id of a node: 1 to 64 printable ASCII characters without a space.
     *
     * @throws IllegalArgumentException it cannot
     */
    static void checkNode(String node) {
        if (!NODE.matcher(node).matches()) {
            throw new IllegalArgumentException("node id '" + node.replaceAll("\\p{C}", "?")
                    + "' is not 1 to 64 printable ASCII characters without a space");
        }
    }

    static void write(Disk disk, Path directory, UUID store, String node) throws IOException {
        TEXT.write(disk, directory.resolve(FILE_NAME), "store=" + store + "\nnode=" + node + "\n");
    }

    /** The node that the store in the directory belongs to; empty where it belongs to none. */
    static Optional<String> read(Disk disk, Path directory, UUID store) throws IOException {
        Path path = directory.resolve(FILE_NAME);
        Optional<Matcher> lines = TEXT.read(disk, path);
        if (lines.isPresent() && !lines.get().group("store").equals(store.toString())) {
            throw TEXT.corrupt(
                    path, "it belongs to the store with id " + lines.get().group("store") + ", not to " + store);
        }
        return lines.map(matcher -> matcher.group("node"));
    }
}
