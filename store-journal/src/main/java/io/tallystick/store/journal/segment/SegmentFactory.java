package io.tallystick.store.journal.segment;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.spi.FailureLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Makes spare segments: new files, and further lives of files that nothing needs. A new file holds no record until it
 * is complete, so a failure there leaves no outcome unknown.
 *
 * <p>For one thread at a time: the thread that opens the log, then the housekeeper, then the thread that closes the
 * log.
 */
final class SegmentFactory {
    private static final System.Logger LOG = System.getLogger(SegmentFactory.class.getName());
    private static final int ZEROS_BYTES = 1024 * 1024;

    /** Another process may have the directory. */
    private static final class StoreFailedMeanwhileException extends IOException {
        private static final long serialVersionUID = 1L;

        StoreFailedMeanwhileException(String message) {
            super(message);
        }
    }

    private final LogIo io;
    private final Disk disk;
    private final SegmentPlan plan;
    private final byte[] storeId;
    private final SegmentRing ring;

    // A header may be on disk whose segment is no spare. Such a header may name the last spare as the one before it.
    // Set before the first byte of a header is written.
    private boolean headerInDoubt;

    SegmentFactory(LogIo io, SegmentPlan plan, byte[] storeId, SegmentRing ring) {
        this.io = io;
        this.disk = io.disk();
        this.plan = plan;
        this.storeId = storeId;
        this.ring = ring;
    }

    /** The size of new files, bytes. */
    long segmentBytes() {
        return plan.segmentBytes();
    }

    /** Whether a header may be on disk whose segment is no spare. */
    boolean isHeaderInDoubt() {
        return headerInDoubt;
    }

    /**
     * Makes one more spare file. Filling it takes long, and a process may stand still, so this asks once more before
     * the file gets its name: whoever has the directory then has files of the same names and ids.
     *
     * @param hasStoreFailed whether the store has failed, or its place is lost; never while the log is being opened
     * @throws IOException it cannot be made, or the store has failed meanwhile; then it stays for the next opening
     */
    void makeSpare(BooleanSupplier hasStoreFailed) throws IOException {
        Path path = freePath();
        SegmentHeader header = ring.nextHeader(plan.segmentBytes());
        Path unfinished = path.resolveSibling(path.getFileName() + SegmentFormat.UNFINISHED_SUFFIX);
        boolean wasInDoubt = headerInDoubt;
        headerInDoubt = true;
        try {
            writeFile(unfinished, header);
            if (hasStoreFailed.getAsBoolean()) {
                throw new StoreFailedMeanwhileException("file=" + unfinished + " gets no name: the store has failed");
            }
            disk.renameToNew(unfinished, path);
            disk.forceDirectory(plan.directory());
            addSpare(open(path, header));
            headerInDoubt = wasInDoubt;
        } catch (FileAlreadyExistsException | StoreFailedMeanwhileException notOurs) {
            throw notOurs; // what has these names now is not ours to delete
        } catch (IOException failed) {
            try {
                discard(unfinished, path);
                headerInDoubt = wasInDoubt;
            } catch (IOException leftOver) {
                failed.addSuppressed(leftOver);
            }
            throw failed;
        }
    }

    /** A path where nothing is: what a hand has put there since the opening stays. */
    private Path freePath() throws IOException {
        Path path;
        do {
            path = plan.directory().resolve(SegmentFormat.fileName(ring.takeFileNumber()));
        } while (disk.kindOf(path) != Disk.PathKind.MISSING);
        return path;
    }

    /** Lists the segment, or closes it: nobody else knows its files. */
    private void addSpare(Segment spare) {
        try {
            ring.addSpare(spare);
        } catch (RuntimeException | Error unlisted) {
            try {
                spare.close();
            } catch (IOException alsoFailed) {
                unlisted.addSuppressed(alsoFailed);
            }
            throw unlisted;
        }
    }

    private void writeFile(Path path, SegmentHeader header) throws IOException {
        int chunkBytes = (int) Math.min(ZEROS_BYTES, header.segmentBytes());
        ByteBuffer zeros = ByteBuffer.allocateDirect(chunkBytes);
        try (DiskFile file = disk.open(path, OpenMode.CREATE_NEW)) {
            for (long position = 0; position < header.segmentBytes(); position += chunkBytes) {
                zeros.clear().limit((int) Math.min(chunkBytes, header.segmentBytes() - position));
                if (position == 0) {
                    header.encodeTo(zeros, storeId);
                }
                file.writeFully(zeros, position);
                if (position == 0) {
                    zeros.put(0, new byte[SegmentFormat.SEGMENT_HEADER_BYTES]);
                }
            }
            file.force();
        }
    }

    /** Opens a segment file for reads and durable writes. */
    private Segment open(Path path, SegmentHeader header) throws IOException {
        DiskFile readFile = disk.open(path, OpenMode.READ);
        DiskFile writeFile = null;
        try {
            writeFile = disk.open(path, io.mode());
            return new Segment(path, header, writeFile, readFile);
        } catch (IOException | RuntimeException | Error failed) {
            try (readFile) {
                if (writeFile != null) {
                    writeFile.close();
                }
            }
            throw failed;
        }
    }

    private void discard(Path unfinished, Path path) throws IOException {
        for (Path file : List.of(path, unfinished)) {
            if (disk.kindOf(file) != Disk.PathKind.MISSING) {
                disk.delete(file);
            }
        }
        disk.forceDirectory(plan.directory());
    }

    /**
     * Gives unused files another life, and deletes those that have not the size of new files. Begins with the file that
     * was prepared last. So if the process ends on the way, the others are an unbroken chain behind the used files.
     *
     * @param unused in the order of their ids
     */
    void adoptSpares(List<Segment> unused) throws IOException {
        if (unused.isEmpty()) {
            return;
        }
        // The first header that is written says which segments are needed, before any that says so is deleted.
        Segment last = unused.get(unused.size() - 1);
        Segment first = rewriteHeader(last, ring.hasCurrentSize(last));
        for (int i = unused.size() - 2; i >= 0; i--) {
            if (ring.hasCurrentSize(unused.get(i))) {
                rewriteHeader(unused.get(i), true);
            } else {
                delete(unused.get(i));
            }
        }
        if (!ring.hasCurrentSize(first)) {
            makeSpare(() -> false);
            delete(first);
        }
    }

    /** Makes a spare of a segment that nothing needs: the next life of its file. */
    void recycle(Segment segment) throws IOException {
        segment.free();
        rewriteHeader(segment, true);
    }

    /**
     * Deletes a segment that no header on disk needs any more. Where the system does not let it go, a warning says so,
     * and the next opening tries again.
     */
    void delete(Segment segment) throws IOException {
        segment.free();
        segment.close();
        ring.deleted();
        try {
            disk.delete(segment.path());
        } catch (IOException kept) {
            FailureLog.tell(
                    LOG,
                    System.Logger.Level.WARNING,
                    "TALLY0309 file=" + segment.path() + " is not needed and cannot be deleted: " + kept
                            + "; the journal goes on without it; delete the file while the store is closed, or let the"
                            + " next opening do it",
                    kept);
            return;
        }
        disk.forceDirectory(plan.directory());
    }

    /** Begins the next life of a segment, as a spare or to be deleted soon. */
    private Segment rewriteHeader(Segment old, boolean becomesSpare) throws IOException {
        SegmentHeader header = ring.nextHeader(old.header().segmentBytes());
        if (!becomesSpare) { // its size need not be a multiple of the present blocks
            header = header.withBlocks(old.header().blockBytes());
        }
        Segment next = old.reborn(header);
        boolean wasInDoubt = headerInDoubt;
        headerInDoubt = true;
        writeHeader(next);
        if (becomesSpare) {
            ring.addSpare(next);
        }
        headerInDoubt = wasInDoubt;
        return next;
    }

    /** Writes the header of a segment, and forces it. */
    void writeHeader(Segment segment) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(2 * plan.blockBytes())
                .alignedSlice(plan.blockBytes())
                .slice(0, plan.blockBytes());
        segment.header().encodeTo(block, storeId);
        segment.writeFile().writeFully(block, 0);
        if (io.needsForce()) {
            segment.writeFile().force();
        }
    }
}
