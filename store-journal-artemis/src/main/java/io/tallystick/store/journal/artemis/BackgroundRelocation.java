package io.tallystick.store.journal.artemis;

import io.tallystick.store.StoreException;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.log.spi.RecordLog.Carried;
import io.tallystick.store.log.spi.RecordLog.Rewriter;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StoreEvents;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Copies the live records of the oldest file to the active one, so that the oldest file becomes dead. One live record
 * may keep all files behind its own in use, because they hold the deletions of earlier records.
 *
 * <p>It begins when there are more files than the live records explain:
 *
 * <pre>
 * explained = max(segments, 3 + 2 x (live bytes / file + 1))
 * </pre>
 *
 * Example: 4 segments, 100 KiB live, files of 64 KiB: {@code max(4, 3 + 2 x 2)} = 7 files.
 *
 * <p>It queues {@value #SLICE_BYTES} bytes after each batch, like any write. The next images supersede the old
 * ones, so it may stop at any time. The journal's own compaction is never used. On the housekeeper's thread only.
 */
final class BackgroundRelocation {
    private static final int SLICE_BYTES = 64 * 1024;

    private final StoreEvents events;
    private final LiveRecords live;
    private final DataFiles dataFiles;
    private final long fileBytes;
    private final int segments;

    private final ArrayDeque<Version> waiting = new ArrayDeque<>();
    private DataFile source;
    // Read by every thread.
    private volatile boolean underWay;

    BackgroundRelocation(JournalContext context, ArtemisLog.Parts parts) {
        this.events = context.statistics().events();
        this.live = parts.live();
        this.dataFiles = parts.dataFiles();
        this.fileBytes = parts.factory().fileBytes();
        this.segments = context.options().segments();
    }

    /** Whether records of a file still wait for the next slice. For any thread. */
    boolean isUnderWay() {
        return underWay;
    }

    /** Queues the next slice, if there is one. */
    void relocateSlice(Rewriter rewriter) {
        if (waiting.isEmpty() && dataFiles.count() > explainedFiles(segments, live.bytes(), fileBytes)) {
            source = dataFiles.oldest();
            waiting.addAll(live.in(source));
        }
        long bytes = 0;
        int records = 0;
        StoreEvents.Relocation relocation = events.beginRelocation();
        try {
            while (!waiting.isEmpty() && bytes < SLICE_BYTES) {
                Version version = waiting.poll();
                bytes += rewriter.rewrite(List.of(new Carried(version, version.record())));
                records++;
            }
        } catch (StoreException refused) {
            waiting.clear(); // no room, or the store has failed: the next relocation begins again
        }
        if (records > 0) {
            relocation.ended("file id " + source.fileId(), records, bytes);
        }
        underWay = !waiting.isEmpty();
    }

    /** The most files that the live records explain. */
    static long explainedFiles(int segments, long liveBytes, long fileBytes) {
        return Math.max(segments, 3 + 2 * (liveBytes / fileBytes + 1));
    }
}
