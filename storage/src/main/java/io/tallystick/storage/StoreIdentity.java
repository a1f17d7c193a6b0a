package io.tallystick.storage;

import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The identity of a store: its kind and an id that no other store has. Written once, when the store is made, as four
 * lines of text. The last is a CRC32C over the lines before it:
 *
 * <pre>
 * tallystick-store 1
 * kind=file-v1
 * id=0d9f4c0e-2a52-4d39-bb33-5c8d1f8e6f11
 * crc32c=10268774
 * </pre>
 *
 * @param kind what the store calls itself and its format
 * @param id unique id
 */
public record StoreIdentity(String kind, UUID id) {
    /** The file, in the store's directory. */
    public static final String FILE_NAME = "tallystick.store";

    static final String TEMPORARY_SUFFIX = ".tmp";

    private static final int MAX_BYTES = 512;
    private static final Pattern FORM = Pattern.compile(
            "(tallystick-store (\\d{1,9})\nkind=([a-z0-9-]{1,64})\nid=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n)"
                    + "crc32c=([0-9a-f]{8})\n");
    private static final Pattern NEWER = Pattern.compile("tallystick-store (\\d{1,9})\n(?s:.*)");
    private static final int VERSION = 1;

    public StoreIdentity {
        Objects.requireNonNull(kind);
        Objects.requireNonNull(id);
    }

    /** The id that these 16 bytes stand for: see {@link #idBytes}. */
    public static UUID idOf(byte[] idBytes) {
        ByteBuffer bits = ByteBuffer.wrap(idBytes);
        return new UUID(bits.getLong(), bits.getLong());
    }

    /** The most significant bits and the least, 16 bytes, to stand in records. */
    public byte[] idBytes() {
        return ByteBuffer.allocate(16)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }

    static StoreIdentity create(Disk disk, Path directory, String kind) throws IOException {
        StoreIdentity identity = new StoreIdentity(kind, UUID.randomUUID());
        SmallFile.replace(disk, directory.resolve(FILE_NAME), identity.encoded());
        return identity;
    }

    /**
     * The identity of the store in a directory; empty where there is none. Reads, and changes nothing.
     *
     * @throws StoreDirectoryException the file is damaged, or a newer library wrote it
     */
    public static Optional<StoreIdentity> read(Disk disk, Path directory) throws IOException {
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
        return Optional.of(parse(path, text));
    }

    private static StoreIdentity parse(Path path, String text) throws StoreDirectoryException {
        Matcher newer = NEWER.matcher(text);
        if (newer.matches() && Integer.parseInt(newer.group(1)) > VERSION) {
            throw new StoreDirectoryException(
                    Reason.FOREIGN,
                    "file=" + path + " has format version " + newer.group(1) + "; this library reads up to " + VERSION
                            + ": use the newer library that wrote it",
                    null);
        }
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw corrupt(path, "it is not the text that identifies a store");
        }
        if (!matcher.group(5).equals(checksum(matcher.group(1)))) {
            throw corrupt(path, "its checksum does not fit");
        }
        if (Integer.parseInt(matcher.group(2)) != VERSION) {
            throw corrupt(path, "it has the unknown format version " + matcher.group(2));
        }
        return new StoreIdentity(matcher.group(3), UUID.fromString(matcher.group(4)));
    }

    private byte[] encoded() {
        String lines = "tallystick-store " + VERSION + "\nkind=" + kind + "\nid=" + id + "\n";
        return (lines + "crc32c=" + checksum(lines) + "\n").getBytes(StandardCharsets.ISO_8859_1);
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
                        + "; restore this file from a backup of the directory, nothing else was touched");
    }
}
