package com.example.ledger;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.UsedFile;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.spi.RecordHome;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Batches one behind the other in one file, each forced before the next is written. So only the last one can be torn,
 * and its callers were told of nothing. Room comes back at the next opening: it writes what lives into a new file,
 * which takes the place of the old one.
 */
final class LedgerLog implements RecordLog, RecordHome {
    private static final int MAX_BATCH_BYTES = 1 << 20;

    private final DiskFile file;
    private final byte[] storeId;
    private final long size;
    private final AtomicLong used; // every record counts with a header of a batch of its own
    private long sequence; // this and the next: under the layout lock
    private long end;

    /** A batch with its place. */
    private static final class LedgerBatch extends Batch {
        private final long position;

        LedgerBatch(long sequence, Version first, int count, long bytes, Version rest, long position) {
            super(sequence, first, count, bytes, rest);
            this.position = position;
        }
    }

    private LedgerLog(DiskFile file, byte[] storeId, long size, long sequence, long end) {
        this.file = file;
        this.storeId = storeId;
        this.size = size;
        this.sequence = sequence;
        this.end = end;
        this.used = new AtomicLong(end);
    }

    static LedgerLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index) throws IOException {
        Disk disk = context.io().disk();
        Path path = context.directory().resolve(LedgerFile.NAME);
        Path fresh = context.directory().resolve(LedgerFile.NAME + ".new");
        if (disk.kindOf(fresh) != Disk.PathKind.MISSING) {
            disk.delete(fresh); // of an opening that was cut off
        }
        Path ready = context.directory().resolve(LedgerFile.READY);
        boolean isReady = disk.kindOf(ready) != Disk.PathKind.MISSING;
        long size = context.options().get(LedgerEngine.SIZE);
        Map<StateKey, LedgerFile.Found> living = new LinkedHashMap<>();
        long sequence = 0;
        if (disk.kindOf(path) == Disk.PathKind.MISSING) {
            if (isReady) {
                throw new CorruptStoreException(
                        path, 0, "it is missing, and was there", "put it back or restore a backup; nothing was changed");
            }
        } else {
            LedgerFile.Reading old = LedgerFile.read(disk, path, context.storeId());
            if (old.damage().isPresent()) {
                throw new CorruptStoreException(
                        path,
                        old.damage().getAsLong(),
                        "a batch is damaged, and a later one is whole",
                        "restore it from a backup; nothing was changed");
            }
            sequence = old.sequence();
            for (LedgerFile.Found record : old.records()) {
                living.remove(record.header().key());
                if (record.header().flags() != 0) {
                    living.put(record.header().key(), record);
                }
            }
        }
        DiskFile file = disk.open(fresh, OpenMode.CREATE_NEW);
        boolean isOpened = false;
        try {
            long end = 0;
            for (LedgerFile.Found record : living.values()) {
                ByteBuffer batch = ByteBuffer.allocate(LedgerFile.BATCH_HEADER_BYTES + record.bytes().length);
                LedgerFile.putHeader(batch, ++sequence, record.bytes().length);
                file.writeFully(batch.put(record.bytes()).flip(), end);
                end += batch.capacity();
            }
            file.force();
            disk.rename(fresh, path);
            disk.forceDirectory(context.directory());
            if (!isReady) {
                disk.open(ready, OpenMode.CREATE_NEW).close();
                disk.forceDirectory(context.directory());
            }
            LedgerLog log = new LedgerLog(
                    disk.open(path, OpenMode.READ_WRITE),
                    context.storeId(),
                    size,
                    sequence,
                    end);
            long position = 0;
            for (LedgerFile.Found record : living.values()) {
                position += LedgerFile.BATCH_HEADER_BYTES;
                index.put(record.header().key(), Version.recovered(record.header(), log, position));
                position += record.bytes().length;
            }
            isOpened = true;
            return log;
        } finally {
            file.close(); // by its first name; the log has it by its last
            if (!isOpened) {
                index.clear();
            }
        }
    }

    @Override
    public String name() {
        return "ledger";
    }

    @Override
    public int writesInFlight() {
        return 1;
    }

    @Override
    public List<UsedFile> filesInUse() {
        return List.of(UsedFile.open(file.path(), 0));
    }

    @Override
    public void reserve(Version append) {
        long charge = charge(append);
        long limit = append.isTombstone() ? size + size / 8 : size; // a removal may use the reserve
        if (used.addAndGet(charge) > limit) {
            used.addAndGet(-charge);
            throw new StoreFullException("file=" + file.path() + " has reached " + LedgerEngine.SIZE.key() + "=" + size
                    + " bytes; restart the process, which writes what lives into a new file, or raise it");
        }
    }

    @Override
    public void refund(Version append) {
        used.addAndGet(-charge(append));
    }

    private static long charge(Version append) {
        return append.recordLength() + (long) LedgerFile.BATCH_HEADER_BYTES;
    }

    @Override
    public Batch layOut(Version first) {
        long position = end + LedgerFile.BATCH_HEADER_BYTES;
        int bytes = 0;
        int count = 0;
        Version append = first;
        while (append != null && (count == 0 || bytes + append.recordLength() <= MAX_BATCH_BYTES)) {
            append.place(this, position + bytes);
            bytes += append.recordLength();
            count++;
            append = append.next();
        }
        LedgerBatch batch =
                new LedgerBatch(++sequence, first, count, LedgerFile.BATCH_HEADER_BYTES + bytes, append, end);
        end += batch.bytes();
        return batch;
    }

    @Override
    public void write(Batch batch) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(batch.bytes()));
        LedgerFile.putHeader(bytes, batch.sequence(), bytes.capacity() - LedgerFile.BATCH_HEADER_BYTES);
        Version append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            bytes.put(append.record());
            append = append.next();
        }
        file.writeFully(bytes.flip(), ((LedgerBatch) batch).position);
        file.force();
    }

    @Override
    public void durable(Batch batch, long durableSequence) {
        Version append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            append.dropRecord(); // from now on it is read from the file
            append = append.next();
        }
    }

    @Override
    public StateImage read(Version version) throws IOException {
        byte[] bytes = version.record();
        if (bytes == null) {
            bytes = new byte[version.recordLength()];
            file.readFully(ByteBuffer.wrap(bytes), version.position());
        }
        try {
            RecordDecoder.Header header =
                    new RecordDecoder(storeId, version.key()).decodeHeader(bytes, 0, bytes.length);
            return RecordDecoder.imageOf(bytes, 0, header);
        } catch (RecordDecoder.BadRecordException bad) {
            throw new CorruptStoreException(
                    file.path(), version.position(), bad.getMessage(), "restore it from a backup");
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
