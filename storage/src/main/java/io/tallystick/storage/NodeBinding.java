package io.tallystick.storage;

import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

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

    private static final int MAX_BYTES = 512;
    private static final Pattern NODE = Pattern.compile("[!-~]{1,64}");
    private static final Pattern FORM = Pattern.compile("(tallystick-node (\\d{1,9})\n"
            + "store=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\nnode=([!-~]{1,64})\n)crc32c=([0-9a-f]{8})\n");
    private static final Pattern NEWER = Pattern.compile("tallystick-node (\\d{1,9})\n(?s:.*)");
    private static final int VERSION = 1;

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
        String lines = "tallystick-node " + VERSION + "\nstore=" + store + "\nnode=" + node + "\n";
        String text = lines + "crc32c=" + checksum(lines) + "\n";
        SmallFile.replace(disk, directory.resolve(FILE_NAME), text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The node that the store in the directory belongs to; empty where it belongs to none. */
    static Optional<String> read(Disk disk, Path directory, UUID store) throws IOException {
        Path path = directory.resolve(FILE_NAME);
        String text;
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            long size = file.size();
            if (size > MAX_BYTES) {
                throw corrupt(path, "it has " + size + " bytes, more than the " + MAX_BYTES + " it may have");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            file.readFully(bytes, 0);
            text = StandardCharsets.ISO_8859_1.decode(bytes.flip()).toString();
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
        return Optional.of(parse(path, store, text));
    }

    private static String parse(Path path, UUID store, String text) throws StoreDirectoryException {
        Matcher newer = NEWER.matcher(text);
        if (newer.matches() && Integer.parseInt(newer.group(1)) > VERSION) {
            throw new StoreDirectoryException(
                    Reason.FOREIGN,
                    "file=" + path + " has format version " + newer.group(1) + "; this library reads up to " + VERSION
                            + ": use the newer library that wrote it",
                    null);
        }
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(2)) != VERSION) {
            throw corrupt(path, "it is not the text that names a store's node");
        }
        if (!matcher.group(5).equals(checksum(matcher.group(1)))) {
            throw corrupt(path, "its checksum does not fit");
        }
        if (!matcher.group(3).equals(store.toString())) {
            throw corrupt(path, "it belongs to the store with id " + matcher.group(3) + ", not to " + store);
        }
        return matcher.group(4);
    }

    private static String checksum(String lines) {
        CRC32C crc = new CRC32C();
        crc.update(lines.getBytes(StandardCharsets.ISO_8859_1));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private static StoreDirectoryException corrupt(Path path, String reason) {
        return StoreDirectoryException.corrupt(
                path,
                "file=" + path + " offset=0: " + reason
                        + "; restore this file from a backup, or, if you know whose store it is, delete it and set"
                        + " tallystick.node-id; nothing else was touched");
    }
}
