package io.tallystick.store.file.format;

import static io.tallystick.store.file.format.StateFileFormat.*;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.spi.StateImage;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads one state file and trusts nothing in it. It checks the header before it uses a length in it, and allocates no
 * more than the file's size. Every byte is either covered by a checksum or must be zero.
 */
public final class StateFileReader {
    public static final String REMEDY =
            "nothing was changed; restore the store from a backup, or move this file out of the store and"
                    + " settle its transaction by hand";

    // The bytes of one read; a channel allocates as much memory outside the heap, for each thread and for good.
    private static final int CHUNK_BYTES = 64 * 1024;

    private final Path path;
    private final byte[] store;

    /**
     * A reader of the file at {@code path}.
     *
     * @param store unique id of the store that the file must belong to
     */
    public StateFileReader(Path path, byte[] store) {
        this.path = path;
        this.store = store;
    }

    /**
     * The content of a valid file.
     *
     * @param opening the random number of the opening of the store that wrote the file
     * @param sequence the place of the write among all writes of the store
     */
    public record Content(StateKey key, StateImage image, long opening, long sequence) {}

    /**
     * Reads the file as it is.
     *
     * @throws CorruptStoreException it is not a whole state file of this store
     * @throws UnsupportedFormatException it is a state file of a newer format
     */
    public Content read(Disk disk) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            return read(file);
        }
    }

    /** As {@link #read(Disk)}, and then forces the file: its content is on disk when the call returns. */
    public Content readForced(Disk disk) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            Content content = read(file);
            file.force();
            return content;
        }
    }

    /** As {@link #read(Disk)}, of a file that is open. */
    Content read(DiskFile file) throws IOException {
        long size = file.size();
        if (size < HEADER_BYTES) {
            throw corrupt(size, "the file has " + size + " bytes, fewer than the header of " + HEADER_BYTES);
        }
        byte[] header = new byte[HEADER_BYTES];
        fill(file, header, 0);
        Header fields = checkedHeader(header, size);
        byte[] rest = new byte[Math.toIntExact(size - HEADER_BYTES)];
        fill(file, rest, HEADER_BYTES);
        return checkedContent(fields, rest);
    }

    private void fill(DiskFile file, byte[] target, long position) throws IOException {
        try {
            for (int done = 0; done < target.length; done += CHUNK_BYTES) {
                int length = Math.min(CHUNK_BYTES, target.length - done);
                file.readFully(ByteBuffer.wrap(target, done, length), position + done);
            }
        } catch (EOFException shrunk) {
            throw corrupt(position, "the file ends while it is read: " + shrunk.getMessage());
        }
    }

    private record Header(
            int typeBytes,
            int idBytes,
            int committedBytes,
            int shadowBytes,
            int flags,
            int bodyChecksum,
            long opening,
            long sequence) {
        long bodyBytes() {
            return (long) typeBytes + idBytes + committedBytes + shadowBytes;
        }

        boolean has(int flag) {
            return (flags & flag) != 0;
        }
    }

    private Header checkedHeader(byte[] bytes, long size) {
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (!Arrays.equals(bytes, MAGIC_OFFSET, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw corrupt(MAGIC_OFFSET, "the file does not begin as a state file does");
        }
        if (header.getInt(HEADER_CHECKSUM_OFFSET) != checksum(bytes, 0, HEADER_CHECKSUM_OFFSET)) {
            throw corrupt(HEADER_CHECKSUM_OFFSET, "the checksum of the header does not fit");
        }
        int version = Short.toUnsignedInt(header.getShort(VERSION_OFFSET));
        if (version > VERSION) {
            throw new UnsupportedFormatException("file=" + path + " has format version " + version
                    + "; this library reads up to " + VERSION + ": use the newer library that wrote it");
        }
        check(version == VERSION, VERSION_OFFSET, "the format version is " + version);
        byte[] owner = Arrays.copyOfRange(bytes, STORE_OFFSET, STORE_OFFSET + STORE_BYTES);
        if (!Arrays.equals(owner, store)) {
            throw corrupt(
                    STORE_OFFSET,
                    "the file belongs to the store " + StoreIdentity.idOf(owner) + " and stands in the store "
                            + StoreIdentity.idOf(store));
        }
        Header fields = new Header(
                Short.toUnsignedInt(header.getShort(TYPE_LENGTH_OFFSET)),
                Byte.toUnsignedInt(header.get(ID_LENGTH_OFFSET)),
                header.getInt(COMMITTED_LENGTH_OFFSET),
                header.getInt(SHADOW_LENGTH_OFFSET),
                Byte.toUnsignedInt(header.get(FLAGS_OFFSET)),
                header.getInt(BODY_CHECKSUM_OFFSET),
                header.getLong(OPENING_OFFSET),
                header.getLong(SEQUENCE_OFFSET));
        checkSense(fields, header.getShort(RESERVED_OFFSET));
        long expected = fileBytes(fields.bodyBytes());
        check(
                size == expected,
                Math.min(size, expected),
                "the file has " + size + " bytes, but its header describes a file of " + expected);
        return fields;
    }

    private void checkSense(Header fields, short reserved) {
        check(
                fields.typeBytes >= 2 && fields.typeBytes <= StateKey.MAX_TYPE_BYTES,
                TYPE_LENGTH_OFFSET,
                "the type has " + fields.typeBytes + " bytes");
        check(
                fields.idBytes >= 1 && fields.idBytes <= ObjectId.MAX_BYTES,
                ID_LENGTH_OFFSET,
                "the id has " + fields.idBytes + " bytes");
        check(reserved == 0, RESERVED_OFFSET, "a reserved field is not zero");
        check((fields.flags & ~ALL_FLAGS) == 0, FLAGS_OFFSET, "there are unknown flags, " + fields.flags);
        check(fields.has(HAS_COMMITTED | HAS_SHADOW), FLAGS_OFFSET, "there is neither a committed value nor a shadow");
        check(
                fields.committedBytes >= 0 && (fields.committedBytes == 0 || fields.has(HAS_COMMITTED)),
                COMMITTED_LENGTH_OFFSET,
                "the committed value has " + fields.committedBytes + " bytes, flags " + fields.flags);
        check(
                fields.shadowBytes >= 0 && (fields.shadowBytes == 0 || fields.has(HAS_SHADOW)),
                SHADOW_LENGTH_OFFSET,
                "the shadow has " + fields.shadowBytes + " bytes, flags " + fields.flags);
    }

    private Content checkedContent(Header fields, byte[] rest) {
        int bodyBytes = Math.toIntExact(fields.bodyBytes());
        check(
                checksum(rest, 0, bodyBytes) == fields.bodyChecksum,
                HEADER_BYTES,
                "the checksum of the " + bodyBytes + " bytes from here does not fit");
        for (int i = bodyBytes; i < rest.length; i++) {
            check(rest[i] == 0, HEADER_BYTES + (long) i, "the padding is not zero");
        }
        int at = fields.typeBytes + fields.idBytes;
        ObjectId id = ObjectId.of(Arrays.copyOfRange(rest, fields.typeBytes, at));
        byte[] committed = value(fields.has(HAS_COMMITTED), rest, at, fields.committedBytes);
        byte[] shadow = value(fields.has(HAS_SHADOW), rest, at + fields.committedBytes, fields.shadowBytes);
        return new Content(
                key(type(rest, fields.typeBytes), id),
                StateImage.of(committed, shadow, fields.has(IS_HIDDEN)),
                fields.opening,
                fields.sequence);
    }

    private String type(byte[] rest, int length) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(rest, 0, length))
                    .toString();
        } catch (CharacterCodingException bad) {
            throw corrupt(HEADER_BYTES, "the type is not UTF-8");
        }
    }

    private StateKey key(String type, ObjectId id) {
        try {
            return StateKey.of(type, id);
        } catch (IllegalArgumentException bad) {
            throw corrupt(HEADER_BYTES, "the type is not well formed: " + bad.getMessage());
        }
    }

    private static byte @Nullable [] value(boolean isThere, byte[] rest, int from, int length) {
        return isThere ? Arrays.copyOfRange(rest, from, from + length) : null;
    }

    private void check(boolean holds, long offset, String otherwise) {
        if (!holds) {
            throw corrupt(offset, otherwise);
        }
    }

    private CorruptStoreException corrupt(long offset, String reason) {
        return new CorruptStoreException(path, offset, reason, REMEDY);
    }
}
