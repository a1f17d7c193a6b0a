package io.tallystick.store.journal.artemis;

import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.io.LogIo;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.apache.activemq.artemis.core.io.IOCriticalErrorListener;
import org.apache.activemq.artemis.core.io.SequentialFile;
import org.apache.activemq.artemis.core.io.SequentialFileFactory;

/**
 * The Artemis journal's way to the disk, without timed buffer, threads and callbacks. It knows the files that
 * exist, the active one, and the part of each that the journal may see while it loads.
 */
final class DiskFileFactory implements SequentialFileFactory {
    private final LogIo io;
    private final Path directory;
    private final byte[] storeId;
    private final long fileBytes;
    private final DataFiles dataFiles;
    private final int alignment;
    private final BatchBuffer batch;

    private volatile IOCriticalErrorListener listener;
    private volatile DiskSequentialFile active;
    private volatile long durableSequence;
    private volatile BooleanSupplier hasStoreFailed = () -> false; // nobody owns a store that is being opened but us

    // The scans of the files by name, while the journal loads. By the loading thread only.
    private Map<String, FileScan> found = Map.of();
    private Map<Long, DataFile> foundData = Map.of();
    private boolean loading;
    private DiskSequentialFile reading;

    // Files with a header of this life and no batch behind it. By the thread that uses the file.
    private final Set<DiskSequentialFile> spares = ConcurrentHashMap.newKeySet();

    // Files with a handle. The journal forgets some of them when it fails.
    private final Set<DiskSequentialFile> open = ConcurrentHashMap.newKeySet();

    // Files without their final names, or without their first handles for batches. By the housekeeper's thread only.
    private final List<DiskSequentialFile> unfinished = new ArrayList<>();

    // Spare files that the journal took from its list and could not open. By the housekeeper's thread only.
    private final ArrayDeque<DiskSequentialFile> forgotten = new ArrayDeque<>();

    /**
     * @param alignment positions and lengths of writes are multiples of it, bytes; the disk may want less
     */
    DiskFileFactory(JournalContext context, long fileBytes, int alignment, DataFiles dataFiles) {
        this.io = context.io();
        this.directory = context.directory();
        this.storeId = context.storeId();
        this.fileBytes = fileBytes;
        this.dataFiles = dataFiles;
        this.alignment = alignment;
        this.batch = new BatchBuffer(alignment);
    }

    /** From now on this is asked before a file gets a name, another life, or goes. */
    void askBeforeNames(BooleanSupplier hasStoreFailed) {
        this.hasStoreFailed = hasStoreFailed;
    }

    /**
     * Asks in the middle of a task what the housekeeper has asked before it. Making a file takes long, and a process
     * may stand still: whoever has the directory then has files of the same names and ids.
     *
     * @throws IOException the store has failed, or its place is lost; what is unfinished stays for the next opening
     */
    void checkStillOurs() throws IOException {
        if (hasStoreFailed.getAsBoolean()) {
            throw new IOException("directory=" + directory + ": the store has failed, so no file is made, used again or"
                    + " deleted");
        }
    }

    LogIo io() {
        return io;
    }

    Path directory() {
        return directory;
    }

    byte[] storeId() {
        return storeId;
    }

    long fileBytes() {
        return fileBytes;
    }

    BatchBuffer batch() {
        return batch;
    }

    /** The bytes of a file that batches may use. */
    long usableBytes() {
        return fileBytes - blockStart(0);
    }

    /** The first offset from {@code at} on at which a batch may begin. */
    int blockStart(long at) {
        return (int) ArtemisFormat.aligned(Math.max(at, ArtemisFormat.DATA_OFFSET), alignment);
    }

    /** The file that records go to. */
    DiskSequentialFile active() {
        return active;
    }

    long durableSequence() {
        return durableSequence;
    }

    void durable(long sequence) {
        durableSequence = sequence;
    }

    /** Begins to load: the journal may see these batches. */
    void beginLoading(List<FileScan> scans, Map<Long, DataFile> data) {
        found = new HashMap<>();
        scans.forEach(scan -> found.put(scan.name(), scan));
        foundData = data;
        loading = true;
    }

    void endLoading() {
        found = Map.of();
        foundData = Map.of();
        loading = false;
        reading = null;
    }

    boolean isLoading() {
        return loading;
    }

    /** The bytes of the file that the journal may see: up to the end of the last batch that counts. */
    int shownBytes(String name) {
        FileScan scan = found.get(name);
        return scan != null && scan.header().isPresent() && foundData.containsKey(scan.fileId())
                ? scan.end()
                : ArtemisFormat.DATA_OFFSET;
    }

    /** The file that the journal has read last. */
    DiskSequentialFile reading() {
        return reading;
    }

    void reading(DiskSequentialFile file) {
        reading = file;
    }

    /** Notes that the file has a handle. */
    void opened(DiskSequentialFile file) {
        open.add(file);
    }

    /** Notes that the file has no handle any more. */
    void closed(DiskSequentialFile file) {
        open.remove(file);
    }

    /** Closes the handles that are still open. No thread uses the journal any more. */
    void closeAll() throws IOException {
        IOException failed = null;
        for (DiskSequentialFile file : List.copyOf(open)) {
            try {
                file.close();
            } catch (IOException trouble) {
                failed = trouble;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** Notes that a file is being made. */
    void begun(DiskSequentialFile file) {
        unfinished.add(file);
    }

    /** Notes that a file has its final name. */
    void finished(DiskSequentialFile file) {
        unfinished.remove(file);
    }

    /** Notes a spare file that the journal has forgotten, because it could not be opened. */
    void forgotten(DiskSequentialFile file) {
        forgotten.add(file);
    }

    /**
     * The spare files that the journal has forgotten. They must not be deleted: the header of each may be the proof
     * that the batches before were given up.
     */
    Queue<DiskSequentialFile> forgotten() {
        return forgotten;
    }

    /** Deletes files that could not be made, so that their room on the disk is free again. */
    void deleteUnfinished() throws IOException {
        for (DiskSequentialFile file : List.copyOf(unfinished)) {
            try {
                file.delete();
            } catch (NoSuchFileException neverCreated) {
                // nothing to delete
            }
            unfinished.remove(file);
        }
    }

    /** Notes that the file has a header and no batch behind it. */
    void becameSpare(DiskSequentialFile file) {
        spares.add(file);
    }

    /** Notes that the file holds batches, or was deleted. */
    void isNoSpare(DiskSequentialFile file) {
        spares.remove(file);
    }

    /**
     * Writes the sequence of the last batch into the header of the oldest spare file. So the next opening finds out
     * if the file with that batch was lost, or exchanged for an older copy. Only when the journal has stopped and
     * all is on disk.
     */
    void markOldestSpare() throws IOException {
        Optional<DiskSequentialFile> oldest = spares.stream()
                .filter(file -> !unfinished.contains(file))
                .min(Comparator.comparingLong(DiskSequentialFile::fileId));
        if (oldest.isPresent()) {
            oldest.get().renewHeader();
        }
    }

    /** Forgets the batches of a file that has begun another life. */
    void given(DataFile data) {
        dataFiles.remove(data);
    }

    @Override
    public IOCriticalErrorListener getCriticalErrorListener() {
        return listener;
    }

    @Override
    public void setCriticalErrorListener(IOCriticalErrorListener newListener) {
        listener = newListener;
    }

    @Override
    public void onIOError(Throwable failure, String message, String file) {
        listener.onIOException(failure, message, file);
    }

    @Override
    public SequentialFile createSequentialFile(String fileName) {
        DiskSequentialFile file = new DiskSequentialFile(this, fileName);
        FileScan scan = found.get(fileName);
        if (scan != null && scan.header().isPresent()) {
            file.found(scan.header().get(), foundData.get(scan.fileId()));
        }
        return file;
    }

    @Override
    public List<String> listFiles(String extension) throws IOException {
        Pattern pattern =
                switch (extension) {
                    case ArtemisFormat.EXTENSION -> ArtemisFormat.FILE_NAME;
                    case ArtemisFormat.UNFINISHED_EXTENSION -> ArtemisFormat.UNFINISHED_NAME;
                    default -> null;
                };
        if (pattern == null) {
            return List.of();
        }
        return io.disk().list(directory).stream()
                .map(path -> path.getFileName().toString())
                .filter(name -> pattern.matcher(name).matches())
                .toList();
    }

    @Override
    public void activateBuffer(SequentialFile file) {
        active = (DiskSequentialFile) file;
    }

    @Override
    public void deactivateBuffer() {
        active = null;
    }

    @Override
    public int getMaxIO() {
        return 1;
    }

    @Override
    public boolean isSupportsCallbacks() {
        return false;
    }

    @Override
    public ByteBuffer allocateDirectBuffer(int size) {
        return ByteBuffer.allocate(size);
    }

    @Override
    public void releaseDirectBuffer(ByteBuffer buffer) {
        // the heap has it
    }

    @Override
    public ByteBuffer newBuffer(int size) {
        return ByteBuffer.allocate(size);
    }

    @Override
    public void releaseBuffer(ByteBuffer buffer) {
        // the heap has it
    }

    @Override
    public ByteBuffer wrapBuffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes);
    }

    @Override
    public void clearBuffer(ByteBuffer buffer) {
        buffer.clear().put(new byte[buffer.capacity()]).clear();
    }

    @Override
    public int getAlignment() {
        return alignment;
    }

    @Override
    public SequentialFileFactory setAlignment(int another) {
        throw new UnsupportedOperationException("the alignment is that of the store");
    }

    @Override
    public int calculateBlockSize(int bytes) {
        return bytes;
    }

    @Override
    public File getDirectory() {
        return directory.toFile();
    }

    @Override
    public void start() {
        // no threads
    }

    @Override
    public void stop() {
        // no threads
    }

    @Override
    public void createDirs() {
        // the store has made its directory
    }

    @Override
    public void flush() {
        // the thread that has put a batch together writes it
    }

    @Override
    public SequentialFileFactory setDatasync(boolean enabled) {
        throw new UnsupportedOperationException("nothing is acknowledged before it is on disk");
    }

    @Override
    public boolean isDatasync() {
        return true;
    }

    @Override
    public long getBufferSize() {
        return 0; // no record is too large for the buffer
    }
}
