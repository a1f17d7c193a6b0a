package io.tallystick.store.journal.artemis;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.journal.io.BestEffortFile;
import io.tallystick.store.journal.io.DamageListener;
import io.tallystick.store.spi.Damage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * Reads files and checks every batch in them, before the Artemis journal sees a byte. The journal's own loader takes
 * all bytes that look like a record, in any place.
 *
 * <p>The batches of a file's life stand one behind the other from {@link ArtemisFormat#DATA_OFFSET}, with nothing but
 * zeros between them. Their sequences go up by one. Behind the last one may lie a batch that a crash has torn, then
 * batches of earlier lives. The rest of the file is still searched for whole batches, because a later batch of this
 * life proves damage. Not for several threads at once.
 */
final class FileScanner {
    private static final int READ_BYTES = 1024 * 1024;
    private static final String REMEDY = "restore the directory from a backup";

    private final Disk disk;
    private final byte[] storeId;
    private final Use use;
    private final DamageListener listener;

    private ByteBuffer buffer = ByteBuffer.allocate(0);

    // Of the file that is being scanned.
    private Path path;
    private int size;
    private Records records;
    private int adds;
    private int deletes;

    // For recovery: the batch with the highest sequence of all files that were scanned; null if there is none.
    private NewestBatch newest;
    private long newestSequence;

    /** A scanner for recovery: it forces each file before it reads it. */
    FileScanner(Disk disk, byte[] storeId) {
        this(disk, storeId, Use.RECOVERY, DamageListener.refusing(REMEDY));
    }

    /**
     * A scanner.
     *
     * @param listener hears of a file that has not the size that its header says; where it goes on, so does the scan
     */
    FileScanner(Disk disk, byte[] storeId, Use use, DamageListener listener) {
        this.disk = disk;
        this.storeId = storeId;
        this.use = use;
        this.listener = listener;
    }

    /** The purpose of a scan. */
    enum Use {
        /** Opening: each file is forced before it is read. The chain ends at the first batch that is not whole. */
        RECOVERY,
        /** Looking: as recovery sees the file, but nothing is forced. */
        INSPECTION,
        /** Saving: batches behind a broken one count. A file without a header is the one that its batches name. */
        SALVAGE
    }

    /** Gets the records of the batches that count. */
    interface Records {
        /** An image. */
        void add(long recordId, ByteBuffer file, int bodyAt, int bodyBytes);

        /** A deletion of a record that is superseded or removed. */
        void delete(long recordId);

        /** Salvage only: no whole batch begins here. The sequence tells whether one should. */
        void broken(FileHeader header, ByteBuffer file, int at, long sequence);
    }

    private static final Records ONLY_COUNTED = new Records() {
        @Override
        public void add(long recordId, ByteBuffer file, int bodyAt, int bodyBytes) {
            // counted
        }

        @Override
        public void delete(long recordId) {
            // counted
        }

        @Override
        public void broken(FileHeader header, ByteBuffer file, int at, long sequence) {
            // reported in the scan
        }
    };

    /**
     * Scans one file.
     *
     * @throws UnsupportedFormatException it is not a file of this store and format
     * @throws CorruptStoreException it is too short, or a whole batch contradicts its header
     */
    FileScan scan(Path file) throws IOException {
        return scan(file, ONLY_COUNTED);
    }

    /** For recovery: the last of all batches that the scans have found in the chains of their files; null for none. */
    NewestBatch newestBatch() {
        return newest;
    }

    /** As {@link #scan(Path)}, and hands out the records. */
    FileScan scan(Path file, Records records) throws IOException {
        path = file;
        this.records = records;
        adds = 0;
        deletes = 0;
        read();
        Optional<FileHeader> header = header();
        if (header.isEmpty() && use == Use.SALVAGE) {
            header = latestLife();
        }
        int at = ArtemisFormat.DATA_OFFSET;
        int end = at;
        int lastBegin = at;
        long last = 0;
        long nextRecordId = 0;
        long highest = 0;
        OptionalLong brokenAt = OptionalLong.empty();
        OptionalLong ignoredAt = OptionalLong.empty();
        boolean inChain = header.isPresent();
        Map<Long, Long> files = Map.of();
        while ((at = nextCandidate(at, inChain)) < size) {
            BatchHeader batch = BatchHeader.decode(buffer, at, size, storeId);
            if (batch == null) {
                if (inChain
                        && BatchHeader.isOfLife(buffer, at, size, header.get().fileId(), storeId)) {
                    ignoredAt = OptionalLong.of(at);
                }
                inChain = false;
                at++;
                continue;
            }
            highest = Math.max(highest, batch.sequence());
            boolean isOfThisLife =
                    header.isPresent() && batch.fileId() == header.get().fileId();
            boolean isNext = inChain && (last == 0 || batch.sequence() == last + 1);
            boolean isBehindABreak = use == Use.SALVAGE && !isNext && batch.sequence() > last;
            if (isOfThisLife && (isNext || isBehindABreak)) {
                if (isBehindABreak) {
                    brokenAt = brokenAt.isPresent() ? brokenAt : OptionalLong.of(end);
                    records.broken(header.get(), buffer, end, last + 1);
                }
                inChain = true;
                walk(at, batch);
                if (last == 0) {
                    files = batch.files();
                }
                last = batch.sequence();
                nextRecordId = batch.nextRecordId();
                lastBegin = at;
                end = at + batch.length();
            } else {
                inChain = false;
                if (isOfThisLife && batch.sequence() > last && brokenAt.isEmpty()) {
                    brokenAt = OptionalLong.of(end);
                }
            }
            at += batch.length();
        }
        if (header.isPresent() && use == Use.SALVAGE) {
            records.broken(header.get(), buffer, end, last + 1);
        }
        if (use == Use.RECOVERY && last > newestSequence) {
            newestSequence = last;
            byte[] bytes = new byte[end - lastBegin];
            buffer.get(lastBegin, bytes);
            newest = new NewestBatch(path, lastBegin, bytes);
        }
        return new FileScan(path, header, end, last, files, adds, deletes, nextRecordId, brokenAt, ignoredAt, highest);
    }

    /** The latest life that the batches of a headless file name. */
    private Optional<FileHeader> latestLife() {
        long fileId = 0;
        int at = ArtemisFormat.DATA_OFFSET;
        while ((at = nextCandidate(at, false)) < size) {
            BatchHeader batch = BatchHeader.decode(buffer, at, size, storeId);
            fileId = batch == null ? fileId : Math.max(fileId, batch.fileId());
            at += batch == null ? 1 : batch.length();
        }
        return fileId == 0 ? Optional.empty() : Optional.of(new FileHeader(fileId, 0, 0, size));
    }

    private void read() throws IOException {
        // Recovery must not build on bytes that only the page cache has: a power cut would take them away.
        try (DiskFile file = opened()) {
            if (use == Use.RECOVERY) {
                file.force();
            }
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

    private DiskFile opened() throws IOException {
        return use == Use.RECOVERY
                ? disk.open(path, OpenMode.READ_WRITE)
                : new BestEffortFile(disk.open(path, OpenMode.READ), listener);
    }

    /** The header; empty if it is damaged. */
    private Optional<FileHeader> header() {
        switch (FileHeader.kindOf(buffer, storeId)) {
            case OURS -> {
                FileHeader header = FileHeader.decode(buffer);
                if (header.fileBytes() != size) {
                    listener.damaged(
                            path,
                            size,
                            Damage.Kind.HEADER,
                            "the file has " + size + " bytes, but its header says " + header.fileBytes());
                }
                return Optional.of(header);
            }
            case DAMAGED -> {
                return Optional.empty();
            }
            case OTHER_STORE -> throw unsupported("belongs to another store of this library");
            case NEWER -> throw unsupported("has a newer format than this library reads");
            default -> throw unsupported("was written by Artemis, and not by this library");
        }
    }

    /** The offset where the next batch may begin: in the chain at the next byte above zero, else at the next magic. */
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

    /** Checks that a batch with a valid checksum consists of the records in its header's count. */
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
            handOut(artemis, at);
            at += length;
        }
        if (at != end) {
            throw damaged(at, "batch " + batch.sequence() + " has bytes behind its last record");
        }
    }

    private void handOut(ByteBuffer artemis, int at) {
        long id = artemis.getLong(at + ArtemisFormat.RECORD_ID_OFFSET);
        if (artemis.get(at + ArtemisFormat.RECORD_TYPE_OFFSET) == JournalImpl.DELETE_RECORD) {
            records.delete(id);
        } else {
            int body = artemis.getInt(at + ArtemisFormat.RECORD_BODY_LENGTH_OFFSET);
            records.add(id, buffer, at + ArtemisFormat.RECORD_BODY_OFFSET, body);
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
                + "; nothing was changed. Use the program that wrote it, or configure another directory");
    }

    private CorruptStoreException damaged(long offset, String reason) {
        return new CorruptStoreException(path, offset, reason, REMEDY);
    }
}
