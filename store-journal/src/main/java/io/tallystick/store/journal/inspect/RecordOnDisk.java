package io.tallystick.store.journal.inspect;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A record that an inspection has found: its place, or its bytes where the file may change. */
public final class RecordOnDisk implements InspectedRecord {
    private final StoreFile file;
    private final long offset;
    private final RecordDecoder.Header header;
    private final byte[] kept;

    /**
     * The record that was found valid at this place.
     *
     * @param keptOrNull the record's bytes, if they are not to be read from the file again
     */
    public RecordOnDisk(StoreFile file, long offset, RecordDecoder.Header header, byte[] keptOrNull) {
        this.file = file;
        this.offset = offset;
        this.header = header;
        this.kept = keptOrNull;
    }

    /**
     * A file that holds records of a store.
     *
     * @param disk the disk of the file
     * @param storeId the store's id; each record in the file names it
     */
    public record StoreFile(Disk disk, byte[] storeId, Path path) {
        private DiskFile open() throws IOException {
            return disk.open(path, OpenMode.READ);
        }
    }

    @Override
    public StateKey key() {
        return header.key();
    }

    @Override
    public StateStatus status() {
        return RecordFormat.statusOf(header.flags());
    }

    @Override
    public Path file() {
        return file.path;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public long bytes() {
        return (long) header.committedLength() + header.shadowLength();
    }

    @Override
    public StateImage image() {
        byte[] bytes = kept == null ? read() : kept;
        try {
            RecordDecoder.Header found = new RecordDecoder(file.storeId, key()).decodeHeader(bytes, 0, bytes.length);
            if (!found.key().equals(key())) {
                throw changed("it holds another key");
            }
            return RecordDecoder.imageOf(bytes, 0, found);
        } catch (RecordDecoder.BadRecordException bad) {
            throw changed(bad.getMessage());
        }
    }

    private byte[] read() {
        byte[] bytes = new byte[header.length()];
        try (DiskFile open = file.open()) {
            open.readFully(ByteBuffer.wrap(bytes), offset);
            return bytes;
        } catch (IOException unreadable) {
            throw new StoreIoException(
                    "file=" + file.path + " offset=" + offset + ": the record of " + key().toPrintable()
                            + " cannot be read; check the disk",
                    unreadable);
        }
    }

    private CorruptStoreException changed(String reason) {
        return new CorruptStoreException(
                file.path,
                offset,
                "the record of " + key().toPrintable() + " has changed since it was found: " + reason,
                "see whether the store was opened meanwhile, and inspect it again");
    }
}
