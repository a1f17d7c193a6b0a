package io.tallystick.store.journal.segment;

import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.text.SizeText;
import java.util.Collection;

/**
 * Checks that new segments can hold the states that earlier lives have stored. Those may be longer than the present
 * options allow for new states, and their records are written again: a move copies them, {@code hide} and {@code
 * reveal} change them, and a committed shadow may get another shadow beside it.
 *
 * <p>So the rules that the options keep for {@code tallystick.max-state-size} hold for the longest stored value too: a
 * segment has four times its length, and room for a record with two such values.
 */
final class StoredStateCheck {
    private StoredStateCheck() {}

    /**
     * Checks the latest versions of all keys, before anything is changed.
     *
     * @param blockBytes batches begin at multiples of this
     * @throws IllegalArgumentException new segments are too small; the message names the least size that works
     */
    static void check(JournalOptions options, int blockBytes, Collection<Version> stored) {
        Version longest = null;
        for (Version version : stored) {
            if (longest == null || version.longestValueBytes() > longest.longestValueBytes()) {
                longest = version;
            }
        }
        if (longest == null || longest.longestValueBytes() <= options.maxStateBytes()) {
            return; // the options themselves were checked for that
        }
        long least = leastSegmentBytes(longest.longestValueBytes(), blockBytes);
        if (options.segmentBytes() < least) {
            throw new IllegalArgumentException("the store in directory=" + options.directory() + " holds a state of "
                    + longest.longestValueBytes() + " bytes under "
                    + longest.key().toPrintable() + ", too long for "
                    + StoreOption.JOURNAL_SEGMENT_SIZE.key() + "=" + SizeText.format(options.segmentBytes())
                    + "; nothing was changed. Set at least " + StoreOption.JOURNAL_SEGMENT_SIZE.key() + "="
                    + SizeText.format(least) + " until that state is gone");
        }
    }

    /** The smallest segments that keep the rules for values of this length, bytes. */
    static long leastSegmentBytes(int valueBytes, int blockBytes) {
        long longestBatch = (long) SegmentFormat.BATCH_HEADER_BYTES + JournalOptions.longestRecordBytes(valueBytes);
        long forOneRecord = blockBytes + SegmentFormat.aligned(longestBatch, blockBytes);
        long forOneValue = SegmentFormat.aligned(4L * valueBytes, blockBytes);
        return Math.max(Math.max(forOneValue, forOneRecord), (long) JournalOptions.LEAST_BLOCKS * blockBytes);
    }
}
