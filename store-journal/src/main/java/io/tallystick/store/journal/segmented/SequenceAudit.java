package io.tallystick.store.journal.segmented;

import io.tallystick.store.journal.engine.Judge;
import io.tallystick.store.spi.Damage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tells a torn tail from damage to something acknowledged. Batches carry consecutive sequences, and each says up to which
 * sequence everything was on disk when it was written. A sequence that is missing although a mark covers it was
 * acknowledged once: that is corruption. One that no mark covers was in flight at a crash: it is nothing.
 *
 * <p>Each opening of a store begins well behind the highest sequence that the one before may have used, so between the
 * last durable sequence of one opening and the first of the next nothing is ever required.
 */
final class SequenceAudit {
    /** Required sequences of one opening: from {@code first} to {@code last}, if {@code last} is not below it. */
    private static final class Opening {
        final long durableBefore;
        long last;

        Opening(long first, long durableBefore) {
            this.durableBefore = durableBefore;
            this.last = first - 1;
        }
    }

    /** Sequences that were not found, and where they should be. */
    record Gap(long first, long last, Path file, long offset) {}

    private final TreeMap<Long, Opening> openings = new TreeMap<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final List<Gap> required = new ArrayList<>();
    private final Judge judge;
    private final long freedThrough;
    private long previous;
    private Path previousFile;
    private long previousEnd;

    /**
     * An audit of the segments with these headers.
     *
     * @param judge hears of what is damaged
     */
    SequenceAudit(Collection<SegmentHeader> headers, Path directory, Judge judge) {
        this.judge = judge;
        long freed = 0;
        for (SegmentHeader header : headers) {
            openings.putIfAbsent(header.firstSequence(), new Opening(header.firstSequence(), header.durableBefore()));
            freed = Math.max(freed, header.freedThrough());
        }
        this.freedThrough = freed;
        this.previous = freed;
        this.previousFile = directory;
    }

    /**
     * A valid batch, in the order of the log.
     *
     * @param openingSequence the first sequence of the opening that wrote the header of its segment
     * @return true if it is where it belongs
     */
    boolean batch(
            Path file, long openingSequence, long position, long end, long gapStart, long sequence, long durable) {
        if (sequence <= previous) {
            judge.damaged(
                    file, position, Damage.Kind.MISPLACED, "batch sequence " + sequence + " comes after " + previous);
            return false;
        }
        Map.Entry<Long, Opening> opening = openings.floorEntry(sequence);
        if (opening == null || opening.getKey() != openingSequence || durable >= sequence) {
            judge.damaged(
                    file,
                    position,
                    Damage.Kind.MISPLACED,
                    "batch sequence " + sequence + " is not of the opening that begins with " + openingSequence
                            + ", as its segment is");
            return false;
        }
        if (sequence != previous + 1) {
            boolean gapIsHere = gapStart < position || previousEnd == 0;
            gaps.add(new Gap(
                    previous + 1, sequence - 1, gapIsHere ? file : previousFile, gapIsHere ? gapStart : previousEnd));
        }
        opening.getValue().last = Math.max(opening.getValue().last, durable);
        previous = sequence;
        previousFile = file;
        previousEnd = end;
        return true;
    }

    /** The highest sequence found, or freed before. */
    long highest() {
        return openings.isEmpty() ? previous : Math.max(previous, openings.lastKey());
    }

    /** Batches up to this sequence are not needed. */
    long freedThrough() {
        return freedThrough;
    }

    /**
     * Checks that nothing acknowledged is missing; the judge hears of what is, with the place where it should be.
     *
     * @return the sequence up to which everything is there: the next opening may require it for ever
     */
    long check() {
        for (Map.Entry<Long, Opening> opening : openings.entrySet()) {
            Map.Entry<Long, Opening> next = openings.higherEntry(opening.getKey());
            if (next != null) {
                opening.getValue().last = Math.max(opening.getValue().last, next.getValue().durableBefore);
            }
        }
        gaps.forEach(this::checkNothingRequired);
        checkNothingRequired(new Gap(previous + 1, Long.MAX_VALUE, previousFile, previousEnd));
        return durableThrough();
    }

    private void checkNothingRequired(Gap gap) {
        for (Map.Entry<Long, Opening> opening : openings.entrySet()) {
            long first = Math.max(opening.getKey(), Math.max(gap.first, freedThrough + 1));
            long last = Math.min(opening.getValue().last, gap.last);
            if (first <= last) {
                required.add(new Gap(first, last, gap.file, gap.offset));
                judge.damaged(
                        gap.file,
                        gap.offset,
                        Damage.Kind.BATCH,
                        "batches " + first + " to " + last + " were acknowledged and are damaged or missing here");
            }
        }
    }

    /** What {@link #check} has found missing: sequences that were acknowledged. */
    List<Gap> required() {
        return required;
    }

    private long durableThrough() {
        if (openings.isEmpty()) {
            return previous;
        }
        long first = openings.lastKey();
        if (previous < first) {
            return openings.lastEntry().getValue().durableBefore;
        }
        for (Gap gap : gaps) {
            if (gap.last >= first) {
                return Math.max(gap.first, first) - 1;
            }
        }
        return previous;
    }
}
