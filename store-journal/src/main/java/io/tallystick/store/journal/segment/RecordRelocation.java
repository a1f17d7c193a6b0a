package io.tallystick.store.journal.segment;

import io.tallystick.store.StateKey;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.spi.RecordLog.Carried;
import io.tallystick.store.log.spi.RecordLog.Rewriter;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Queues records of a segment again that still count: after a force they lie in a later segment. */
final class RecordRelocation {
    /** Records that are carried along on a full disk are queued in portions of about this length, bytes. */
    static final int PORTION_BYTES = 512 * 1024;

    private RecordRelocation() {}

    /**
     * Queues again the records behind this sequence that still count: the latest version of a key, and the removal of a
     * key without one.
     *
     * @param removed keys whose removal was queued again, in other segments too; gets those of this one
     */
    static void allBeyond(
            Segment segment, long sequence, Set<StateKey> removed, SegmentScanner scanner, Rewriter rewriter)
            throws IOException {
        scanner.scan(segment, new Portions(segment, PORTION_BYTES, rewriter) {
            private boolean isBeyond;

            @Override
            public void batch(ScannedBatch batch) {
                isBeyond = batch.sequence() > sequence;
            }

            @Override
            public void record(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
                if (!isBeyond) {
                    return;
                }
                if (record.flags() != 0) {
                    addIfLatest(position, record, bytes, offset);
                } else if (rewriter.latest(record.key()) == null && removed.add(record.key())) {
                    add(Version.recovered(record, segment, position), bytes, offset);
                }
            }

            @Override
            public void end(long gapStart) {
                rewrite();
            }
        });
    }

    /**
     * Queues again each record of the segment that is the latest version of its key, in portions of about this length.
     */
    static void allLive(Segment segment, int portionBytes, SegmentScanner scanner, Rewriter rewriter)
            throws IOException {
        scanner.scan(segment, new Portions(segment, portionBytes, rewriter) {
            @Override
            public void batch(ScannedBatch batch) {
                // all batches count
            }

            @Override
            public void record(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
                if (record.flags() != 0) {
                    addIfLatest(position, record, bytes, offset);
                }
            }

            @Override
            public void end(long gapStart) {
                rewrite();
            }
        });
    }

    /** Collects records of a segment, and queues them again whenever there are enough. */
    private abstract static class Portions implements SegmentScanner.Visitor {
        private final Segment segment;
        private final int portionBytes;
        private final Rewriter rewriter;
        private final List<Carried> portion = new ArrayList<>();
        private long bytesNow;

        Portions(Segment segment, int portionBytes, Rewriter rewriter) {
            this.segment = segment;
            this.portionBytes = portionBytes;
            this.rewriter = rewriter;
        }

        final void addIfLatest(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
            Version latest = rewriter.latest(record.key());
            if (latest != null && latest.home() == segment && latest.position() == position) {
                add(latest, bytes, offset);
            }
        }

        final void add(Version version, byte[] bytes, int offset) {
            byte[] copy = new byte[version.recordLength()];
            System.arraycopy(bytes, offset, copy, 0, copy.length);
            portion.add(new Carried(version, copy));
            bytesNow += copy.length;
            if (bytesNow >= portionBytes) {
                rewrite();
                rewriter.force();
            }
        }

        /**
         * Queues the portion. If there is no room, forces first: queued records hold more room than they take on disk.
         */
        final void rewrite() {
            try {
                rewriter.rewrite(portion);
            } catch (StoreFullException noRoomYet) {
                rewriter.force();
                rewriter.rewrite(portion);
            }
            portion.clear();
            bytesNow = 0;
        }
    }
}
