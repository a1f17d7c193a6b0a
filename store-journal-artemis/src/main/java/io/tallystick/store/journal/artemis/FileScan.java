package io.tallystick.store.journal.artemis;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The content of one file, as the scan found it.
 *
 * @param path the file
 * @param header the header; empty if it is damaged. A file with batches of this life has one
 * @param end the end of the batches of this life of the file; all are whole, and none is missing between them
 * @param lastSequence the last of those batches; 0, the number before the first batch, if there is none
 * @param files the other files that the first of those batches names
 * @param adds images in those batches
 * @param deletes deletions in those batches
 * @param nextRecordId no record in those batches has this id or a higher one
 * @param brokenAt the offset of the first gap in front of a later batch of this life, if there is one
 * @param ignoredAt the offset of a batch of this life behind all others that is not whole, if there is one
 * @param highestSequence the highest of all whole batches in the file, in this life or an earlier one
 */
record FileScan(
        Path path,
        Optional<FileHeader> header,
        int end,
        long lastSequence,
        Map<Long, Long> files,
        int adds,
        int deletes,
        long nextRecordId,
        OptionalLong brokenAt,
        OptionalLong ignoredAt,
        long highestSequence) {

    /** Whether there are batches of this life of the file. */
    boolean hasBatches() {
        return lastSequence != 0;
    }

    /** The id of this life; only of a file with a header. */
    long fileId() {
        return header.orElseThrow().fileId();
    }

    String name() {
        return path.getFileName().toString();
    }
}
