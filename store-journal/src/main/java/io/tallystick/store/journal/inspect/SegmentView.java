package io.tallystick.store.journal.inspect;

import io.tallystick.store.journal.segment.SegmentHeader;
import java.nio.file.Path;
import java.util.Map;

/**
 * The segments as an inspection has found them.
 *
 * @param headers by file, in the order of their ids
 * @param oldestId the oldest segment that counts
 * @param lastSequences the last batch in each file that has one that counts
 */
record SegmentView(Map<Path, SegmentHeader> headers, long oldestId, Map<Path, Long> lastSequences) {
    /** Whether no batch in the file counts. */
    boolean isSpare(Path file) {
        SegmentHeader header = headers.get(file);
        return header != null && (header.segmentId() < oldestId || !lastSequences.containsKey(file));
    }

    /** A remark on the file, for people to read; empty if its header is unknown. */
    String remark(Path file) {
        SegmentHeader header = headers.get(file);
        Long last = lastSequences.get(file);
        return header == null
                ? ""
                : "segment-id=" + header.segmentId() + (last == null ? "" : " last-sequence=" + last);
    }
}
