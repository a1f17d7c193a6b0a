package io.tallystick.store.postgresql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds the batches that are missing. A batch says up to which sequence of its epoch all batches were written. It also
 * says from which sequence on they were not deleted. So between these two there is no hole.
 */
final class EpochAudit {
    private final Map<Long, Epoch> epochs = new TreeMap<>();
    private long oldest;

    /** The sequences of one epoch: the first, those that are there, and up to where none may be missing. */
    private static final class Epoch {
        private final long begin;
        private final TreeSet<Long> present = new TreeSet<>();
        private long durable;

        Epoch(long begin) {
            this.begin = begin;
        }
    }

    /** Sequences that are missing, from the first to the last. */
    record Gap(long first, long last) {}

    /** A batch is there. */
    void add(BatchBody.Header header) {
        Epoch epoch = epochs.computeIfAbsent(header.epoch(), number -> new Epoch(header.epochBegin()));
        epoch.present.add(header.sequence());
        epoch.durable = Math.max(epoch.durable, header.durable());
        oldest = Math.max(oldest, header.oldest());
    }

    /** All batches below this were deleted, as far as the batches say that are there; 0 if none says so. */
    long oldest() {
        return oldest;
    }

    /**
     * The holes, in the order of the epochs.
     *
     * @param oldest all batches below it were deleted
     */
    List<Gap> gaps(long oldest) {
        List<Gap> gaps = new ArrayList<>();
        for (Epoch epoch : epochs.values()) {
            long expected = Math.max(epoch.begin, oldest);
            for (long sequence : epoch.present.tailSet(expected)) {
                if (sequence > epoch.durable) {
                    break;
                }
                if (sequence > expected) {
                    gaps.add(new Gap(expected, sequence - 1));
                }
                expected = sequence + 1;
            }
            if (expected <= epoch.durable) {
                gaps.add(new Gap(expected, epoch.durable));
            }
        }
        return gaps;
    }
}
