package io.tallystick.store.journal.artemis;

import java.nio.file.Path;
import java.util.Map;

/**
 * What was found in one file.
 *
 * @param path the file
 * @param header its header; null if that is damaged
 * @param end where the batches of this life of the file end: all whole, none missing between them
 * @param firstSequence the first of those batches, 0 if there is none
 * @param lastSequence the last of those batches, 0 if there is none
 * @param files the other files that the first of those batches names
 * @param adds images in those batches
 * @param deletes deletions in those batches
 * @param nextRecordId no record in those batches has this id or a higher one
 * @param brokenAt where a batch of this life lies behind something else that should be one; -1 if none does
 * @param highestSequence the highest of all whole batches in the file, of whatever life
 */
record FileScan(
        Path path,
        FileHeader header,
        int end,
        long firstSequence,
        long lastSequence,
        Map<Long, Long> files,
        int adds,
        int deletes,
        long nextRecordId,
        long brokenAt,
        long highestSequence) {

    /** Whether there are batches of this life of the file. */
    boolean hasBatches() {
        return lastSequence != 0;
    }

    String name() {
        return path.getFileName().toString();
    }
}
