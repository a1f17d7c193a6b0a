package io.tallystick.store.journal.artemis;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.core.io.IOCallback;
import org.apache.activemq.artemis.core.io.SequentialFile;
import org.apache.activemq.artemis.core.io.buffer.TimedBuffer;
import org.apache.activemq.artemis.core.journal.EncodingSupport;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * One file in the shape that the Artemis journal expects, over the {@link Disk} of the store.
 *
 * <p>Records that the journal appends go into the batch buffer of the {@link DiskFileFactory}; {@link #writeBatch}
 * writes it. A new name forces the directory. A failure throws. Where the journal may swallow the exception, the
 * factory's listener hears of it too. While the journal loads, a file shows the batches that the scan found whole, and
 * nothing behind them.
 *
 * <p>One thread at a time uses a file: the opener, the housekeeper, then the thread with the permit to write. The
 * journal's queues hand it over.
 */
final class DiskSequentialFile implements SequentialFile {
    private static final int CHUNK_BYTES = 1024 * 1024;

    private final DiskFileFactory factory;
    private final Disk disk;

    private String name;
    private DiskFile handle;
    private long position;

    // The ids in the header, and the batches behind it; null if there is none.
    private long fileId;
    private long replacedId;
    private DataFile content;

    // Set while an earlier life may have left batches between the header and the first batch of this one.
    private boolean hasLeftovers = true;
    // Set when batches may be written, as soon as there is a handle.
    private boolean openForBatches;
    // Set when the next record must go to the next file.
    private boolean full;
    // Set while the file has not got its final name.
    private boolean unfinished;
    // Set from then on until the file has its first handle for batches: its header replaces no batches.
    private boolean isNew;

    DiskSequentialFile(DiskFileFactory factory, String name) {
        this.factory = factory;
        this.disk = factory.io().disk();
        this.name = name;
    }

    /** Takes over the header that the scan found, and the batches or null. */
    void found(FileHeader header, DataFile batches) {
        fileId = header.fileId();
        replacedId = header.replacedId();
        content = batches;
        if (batches != null) {
            batches.liesAt(path());
        }
        hasLeftovers = batches == null;
    }

    long fileId() {
        return fileId;
    }

    /** Notes that the file holds these batches, now or before it is read. */
    void holds(DataFile batches) {
        content = batches;
        batches.liesAt(path());
        factory.isNoSpare(this);
    }

    Path path() {
        return factory.directory().resolve(name);
    }

    @Override
    public boolean isOpen() {
        return openForBatches || handle != null;
    }

    @Override
    public boolean exists() {
        try {
            return disk.kindOf(path()) != Disk.PathKind.MISSING;
        } catch (IOException unknown) {
            throw new IllegalStateException("file=" + path() + " cannot be examined: " + unknown, unknown);
        }
    }

    /**
     * Prepares an existing file for batches. It gets its handle when it is positioned, because some handles cost
     * much, and the journal calls this also to read a header.
     */
    @Override
    public void open() throws IOException {
        close();
        full = false;
        openForBatches = true;
    }

    /** Opens the file, which is created if it is missing, for housekeeping. */
    @Override
    public void open(int maxIo, boolean useExecutor) throws IOException {
        close();
        try {
            handle = disk.open(path(), OpenMode.READ_WRITE);
        } catch (NoSuchFileException missing) {
            factory.checkStillOurs();
            unfinished = true;
            factory.begun(this);
            handle = disk.open(path(), OpenMode.CREATE_NEW);
        }
        factory.opened(this);
    }

    /** Whether the disk gives a handle for this existing file now. */
    boolean canBeOpened() {
        try {
            disk.open(path(), OpenMode.READ_WRITE).close();
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        openForBatches = false;
        DiskFile open = handle;
        if (open != null) {
            handle = null;
            factory.closed(this);
            open.close();
        }
    }

    @Override
    public void close(boolean waitSync, boolean blockOnWait) throws IOException {
        close(); // each write was forced when it was written
    }

    @Override
    public boolean fits(int size) {
        return !full && position + size <= factory.fileBytes();
    }

    /** Makes the journal go to its next file with the next record. */
    void markFull() {
        full = true;
    }

    @Override
    public int calculateBlockStart(int at) {
        return factory.blockStart(at);
    }

    @Override
    public String getFileName() {
        return name;
    }

    @Override
    public void fill(int size) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(Math.min(CHUNK_BYTES, size)); // a small file takes little memory
        for (long at = 0; at < size; at += CHUNK_BYTES) {
            handle.writeFully(zeros.clear().limit((int) Math.min(CHUNK_BYTES, size - at)), at);
        }
        handle.force();
    }

    /** Writes the header of the file's next life. The journal writes nothing else in this way. */
    @Override
    public void writeDirect(ByteBuffer artemisHeader, boolean sync) throws IOException {
        artemisHeader.order(ByteOrder.BIG_ENDIAN);
        if (position != 0 || artemisHeader.remaining() != JournalImpl.SIZE_HEADER) {
            throw unsupported("a write that is neither a record nor a header");
        }
        long newId = artemisHeader.getLong(ArtemisFormat.JOURNAL_FILE_ID_OFFSET);
        DataFile given = content;
        long newReplacedId = given == null ? replacedId : given.fileId();
        try {
            factory.checkStillOurs();
            writeHeader(newId, newReplacedId);
            clearLeftovers(handle);
        } catch (IOException failed) {
            if (!unfinished) {
                factory.onIOError(failed, "the header of a file was not written", this);
            }
            throw failed;
        }
        fileId = newId;
        replacedId = newReplacedId;
        content = null;
        position = factory.blockStart(0);
        factory.becameSpare(this);
        if (given != null) {
            factory.given(given);
        }
    }

    /** Writes the header once more, with the last batch that is on disk now. No other thread may have the file open. */
    void renewHeader() throws IOException {
        try (DiskFile file = disk.open(path(), OpenMode.READ_WRITE)) {
            handle = file;
            writeHeader(fileId, replacedId);
        } finally {
            handle = null;
        }
    }

    private void writeHeader(long id, long idReplaced) throws IOException {
        FileHeader header = new FileHeader(id, idReplaced, factory.durableSequence(), (int) factory.fileBytes());
        ByteBuffer block = ByteBuffer.allocate(ArtemisFormat.DATA_OFFSET);
        header.encodeTo(block, factory.storeId());
        handle.writeFully(block, 0);
        handle.force();
    }

    @Override
    public void write(EncodingSupport record, boolean sync) throws IOException {
        if (factory.active() != this) {
            throw new IOException("file=" + path() + " is not the active file of the journal");
        }
        BatchBuffer batch = factory.batch();
        int before = batch.length();
        batch.append(record);
        position += batch.length() - before;
    }

    @Override
    public void write(EncodingSupport record, boolean sync, IOCallback callback) throws IOException {
        write(record, sync);
        callback.done();
    }

    /** Writes the batch that was put together in the factory's buffer, and returns when it is on disk. */
    void writeBatch(long begin) throws IOException {
        BatchBuffer batch = factory.batch();
        if (position != begin + batch.length()) {
            throw new IOException("file=" + path() + " is at offset=" + position + ", but the batch that begins at "
                    + begin + " has " + batch.length() + " bytes");
        }
        if (hasLeftovers) { // an earlier process has given the file this life
            try (DiskFile file = disk.open(path(), OpenMode.READ_WRITE)) {
                clearLeftovers(file);
            }
        }
        ByteBuffer bytes = batch.finish();
        position = begin + bytes.remaining();
        handle.writeFully(bytes, begin);
        if (factory.io().needsForce()) {
            handle.force();
        }
    }

    /**
     * Where blocks are larger than the header, an earlier life with smaller ones may have left batches between the
     * header and the first batch. There they would look like damage. So they are cleared when the header of this life
     * is on disk, and before there is a batch.
     */
    private void clearLeftovers(DiskFile file) throws IOException {
        int length = factory.blockStart(0) - ArtemisFormat.DATA_OFFSET;
        if (length > 0) {
            ByteBuffer zeros = ByteBuffer.allocate(length);
            ByteBuffer found = ByteBuffer.allocate(length);
            file.readFully(found, ArtemisFormat.DATA_OFFSET);
            if (!found.flip().equals(zeros)) {
                file.writeFully(zeros, ArtemisFormat.DATA_OFFSET);
                file.force();
            }
        }
        hasLeftovers = false;
    }

    /** Reads from the beginning the part of the file that the journal may see; only while the journal loads. */
    @Override
    public int read(ByteBuffer target) throws IOException {
        int wanted = target.remaining();
        int begin = target.position();
        int shown = Math.min(wanted, factory.shownBytes(name));
        for (int at = 0; at < Math.min(wanted, ArtemisFormat.DATA_OFFSET); at++) {
            target.put(begin + at, (byte) 0);
        }
        target.duplicate()
                .order(ByteOrder.BIG_ENDIAN)
                .putInt(JournalImpl.FORMAT_VERSION)
                .putInt(ArtemisFormat.USER_VERSION)
                .putLong(fileId);
        if (shown > ArtemisFormat.DATA_OFFSET) {
            try (DiskFile file = disk.open(path(), OpenMode.READ)) {
                for (int at = ArtemisFormat.DATA_OFFSET; at < shown; at += CHUNK_BYTES) {
                    int until = Math.min(at + CHUNK_BYTES, shown);
                    file.readFully(target.limit(begin + until).position(begin + at), at);
                }
            }
        }
        factory.reading(this);
        target.limit(begin + wanted).position(begin);
        return wanted;
    }

    @Override
    public int read(ByteBuffer target, IOCallback callback) throws IOException {
        int count = read(target);
        callback.done();
        return count;
    }

    /** The size; of a file that is open while the journal loads, the part that the journal may see. */
    @Override
    public long size() throws IOException {
        return isOpen() && factory.isLoading() ? factory.shownBytes(name) : disk.size(path());
    }

    @Override
    public void position(long newPosition) throws IOException {
        position = newPosition;
        if (openForBatches && handle == null) {
            openHandleForBatches();
        }
    }

    /** The journal forgets a file that is not opened. */
    private void openHandleForBatches() throws IOException {
        try {
            handle = disk.open(path(), factory.io().mode());
        } catch (IOException refused) {
            openForBatches = false;
            if (isNew) {
                factory.begun(this); // to be deleted: the next attempt makes another one
            } else {
                factory.forgotten(this);
            }
            throw refused;
        }
        isNew = false;
        factory.opened(this);
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void sync() throws IOException {
        handle.force();
    }

    @Override
    public void delete() throws IOException {
        close();
        factory.checkStillOurs();
        factory.isNoSpare(this);
        if (content != null) {
            content.liesAt(null);
        }
        disk.delete(path());
        disk.forceDirectory(factory.directory());
    }

    @Override
    public void renameTo(String newName) throws IOException {
        Path target = factory.directory().resolve(newName);
        if (disk.kindOf(target) != Disk.PathKind.MISSING) {
            throw new IOException("file=" + path() + " cannot be renamed to " + newName + ", which is there already");
        }
        factory.checkStillOurs();
        disk.rename(path(), target);
        name = newName; // a file that is deleted from here on has this name
        disk.forceDirectory(factory.directory());
        unfinished = false;
        isNew = true;
        factory.finished(this);
    }

    @Override
    public SequentialFile cloneFile() {
        return new DiskSequentialFile(factory, name);
    }

    @Override
    public String toString() {
        return path().toString();
    }

    // The journal does none of these without compaction, retention, paging and the timed buffer:

    @Override
    public void write(ActiveMQBuffer bytes, boolean sync, IOCallback callback) {
        throw unsupported("an unframed write");
    }

    @Override
    public void write(ActiveMQBuffer bytes, boolean sync) {
        throw unsupported("an unframed write");
    }

    @Override
    public void writeDirect(ByteBuffer bytes, boolean sync, IOCallback callback) {
        throw unsupported("a direct write with a callback");
    }

    @Override
    public void blockingWriteDirect(ByteBuffer bytes, boolean sync, boolean releaseBuffer) {
        throw unsupported("compaction");
    }

    @Override
    public ByteBuffer map(int at, long size) {
        throw unsupported("mapping");
    }

    @Override
    public void copyTo(SequentialFile target) {
        throw unsupported("copying");
    }

    @Override
    public void setTimedBuffer(TimedBuffer buffer) {
        throw unsupported("a timed buffer");
    }

    @Override
    public File getJavaFile() {
        throw unsupported("access round the disk");
    }

    private UnsupportedOperationException unsupported(String what) {
        return new UnsupportedOperationException("file=" + path() + ": " + what + " is not possible here");
    }
}
