package io.tallystick.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

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

    private static final ChecksummedText TEXT = new ChecksummedText(
            "tallystick-store",
            "kind=(?<kind>[a-z0-9-]{1,64})\nid=(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n",
            "identifies a store",
            "restore this file from a backup of the directory, nothing else was touched");

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
        TEXT.write(disk, directory.resolve(FILE_NAME), "kind=" + kind + "\nid=" + identity.id + "\n");
        return identity;
    }

    /**
     * The identity of the store in a directory; empty where there is none. Reads, and changes nothing.
     *
     * @throws StoreDirectoryException the file is damaged, or a newer library wrote it
     */
    public static Optional<StoreIdentity> read(Disk disk, Path directory) throws IOException {
        return TEXT.read(disk, directory.resolve(FILE_NAME))
                .map(lines -> new StoreIdentity(lines.group("kind"), UUID.fromString(lines.group("id"))));
    }
}
