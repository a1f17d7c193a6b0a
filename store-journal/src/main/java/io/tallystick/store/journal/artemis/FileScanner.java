package io.tallystick.store.journal.artemis;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.UnsupportedFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * Reads files and checks every batch in them, before the Artemis journal sees any of it: its own loader takes whatever
 * looks like a record, wherever it finds it.
 *
 * <p>The batches of a file's life stand one behind the other from {@link ArtemisFormat#DATA_OFFSET}, but for zeros between
 * them, with sequences that go up by one. Behind the last one may lie a batch that a crash has torn, then what is left
 * over from earlier lives. The rest of the file is searched for whole batches all the same, because one that belongs where
 * none should be proves damage. Not for several threads at once.
 */
final class FileScanner {
    private static final int READ_BYTES = 1024 * 1024;

    private final Disk disk;
    private final byte[] storeId;

    private ByteBuffer buffer = ByteBuffer.allocate(0);

    // Of the file in hand.
    private Path path;
    private int size;
    private int adds;
    private int deletes;

    FileScanner(Disk disk, byte[] storeId) {
        this.disk = disk;
        this.storeId = storeId;
    }

    /**
     * Scans one file.
     *
     * @throws UnsupportedFormatException it is not a file of this store and format
     * @throws CorruptStoreException it is too short, or a whole batch is not what it says it is
     */
    FileScan scan(Path file) throws IOException {
        path = file;
        adds = 0;
        deletes = 0;
        read();
        FileHeader header = header();
        int at = ArtemisFormat.DATA_OFFSET;
        int end = at;
        long first = 0;
        long last = 0;
        long nextRecordId = 0;
        long highest = 0;
        long brokenAt = -1;
        boolean inChain = header != null;
        Map<Long, Long> files = Map.of();
        while ((at = nextCandidate(at, inChain)) < size) {
            BatchHeader batch = BatchHeader.decode(buffer, at, size, storeId);
            if (batch == null) {
                inChain = false;
                at++;
                continue;
            }
            highest = Math.max(highest, batch.sequence());
            boolean isOfThisLife = header != null && batch.fileId() == header.fileId();
            if (isOfThisLife && inChain && (last == 0 || batch.sequence() == last + 1)) {
                walk(at, batch);
                if (last == 0) {
                    first = batch.sequence();
                    files = batch.files();
                }
                last = batch.sequence();
                nextRecordId = batch.nextRecordId();
                end = at + batch.length();
            } else {
                inChain = false;
                if (isOfThisLife && batch.sequence() > last && brokenAt < 0) {
                    brokenAt = end;
                }
            }
            at += batch.length();
        }
        return new FileScan(path, header, end, first, last, files, adds, deletes, nextRecordId, brokenAt, highest);
    }

    private void read() throws IOException {
        // What was read must still be there after a power cut, so what only the page cache has is written first.
        try (DiskFile file = disk.open(path, OpenMode.READ_WRITE)) {
            file.force();
            long length = file.size();
            if (length < ArtemisFormat.DATA_OFFSET || length > Integer.MAX_VALUE) {
                throw damaged(length, "the file has " + length + " bytes, which no file of the journal has");
            }
            size = (int) length;
            if (buffer.capacity() < size) {
                buffer = ByteBuffer.allocate(size);
            }
            for (int at = 0; at < size; at += READ_BYTES) {
                file.readFully(
                        buffer.clear().limit(Math.min(at + READ_BYTES, size)).position(at), at);
            }
            buffer.clear();
        }
    }

    private FileHeader header() {
        switch (FileHeader.kindOf(buffer, storeId)) {
            case OURS -> {
                FileHeader header = FileHeader.decode(buffer);
                if (header.fileBytes() != size) {
                    throw damaged(size, "the file has " + size + " bytes, but its header says " + header.fileBytes());
                }
                return header;
            }
            case DAMAGED -> {
                return null;
            }
            case OTHER_STORE -> throw unsupported("belongs to another store of this library");
            case NEWER -> throw unsupported("has a newer format than this library reads");
            default -> throw unsupported("was written by Artemis for somebody else");
        }
    }

    /** Where the next batch may begin: in the chain at the next byte that is not zero, else at what looks like one. */
    private int nextCandidate(int from, boolean inChain) {
        byte[] bytes = buffer.array();
        int at = from;
        if (inChain) {
            while (at < size && bytes[at] == 0) {
                at++;
            }
            return at;
        }
        int last = size - ArtemisFormat.batchHeaderBytes(0);
        while (at <= last) {
            if (bytes[at] == JournalImpl.EVENT_RECORD
                    && bytes[at + ArtemisFormat.BATCH_MAGIC_OFFSET] == (byte) ArtemisFormat.BATCH_MAGIC) {
                return at;
            }
            at++;
        }
        return size;
    }

    /** Checks that a batch, whose checksum fits, is made of the records that it says, one behind the other. */
    private void walk(int begin, BatchHeader batch) {
        ByteBuffer artemis = buffer.duplicate().order(ByteOrder.BIG_ENDIAN);
        int at = begin + batch.headerBytes();
        int end = begin + batch.length();
        for (int i = 0; i < batch.records(); i++) {
            int length = recordLength(artemis, at, end);
            boolean isWhole = length > 0
                    && length <= end - at
                    && artemis.getInt(at + ArtemisFormat.RECORD_FILE_ID_OFFSET)
                            == ArtemisFormat.recordFileId(batch.fileId())
                    && artemis.getInt(at + length - Integer.BYTES) == length;
            if (!isWhole) {
                throw damaged(at, "record " + i + " of batch " + batch.sequence() + " is not one");
            }
            at += length;
        }
        if (at != end) {
            throw damaged(at, "batch " + batch.sequence() + " has bytes behind its last record");
        }
    }

    private int recordLength(ByteBuffer artemis, int at, int end) {
        if (end - at < ArtemisFormat.DELETE_BYTES) {
            return -1;
        }
        switch (artemis.get(at + ArtemisFormat.RECORD_TYPE_OFFSET)) {
            case JournalImpl.ADD_RECORD -> {
                int body = artemis.getInt(at + ArtemisFormat.RECORD_BODY_LENGTH_OFFSET);
                adds++;
                return body < 0 || body > end - at ? -1 : ArtemisFormat.ADD_FRAME_BYTES + body;
            }
            case JournalImpl.DELETE_RECORD -> {
                deletes++;
                return ArtemisFormat.DELETE_BYTES;
            }
            default -> {
                return -1;
            }
        }
    }

    private UnsupportedFormatException unsupported(String what) {
        return new UnsupportedFormatException("file=" + path + " " + what
                + "; nothing was changed. Use what wrote it, or configure another directory");
    }

    private CorruptStoreException damaged(long offset, String reason) {
        return new CorruptStoreException(path, offset, reason, "restore the directory from a backup");
    }
}
