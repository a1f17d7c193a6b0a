package io.tallystick.store.journal.segment;

import io.tallystick.store.journal.io.DamageListener;
import io.tallystick.store.spi.Damage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tells a torn tail from damage to an acknowledged batch. Batches carry consecutive sequences. Each has a mark: when it
 * was written, every batch up to the marked sequence was on disk. A missing sequence that a mark covers was
 * acknowledged, so it is damage. A missing sequence that no mark covers was in flight at a crash, so it is no loss.
 *
 * <p>Each opening of a store begins well behind the highest sequence that the one before may have used. So no sequence
 * between the last durable one of an opening and the first of the next is ever required.
 *
 * <p>"Through" a sequence means that every batch of its opening up to it was on disk. Three places say so:
 *
 * <ul>
 *   <li>a mark, in each batch ({@link ScannedBatch#durableThrough}): when that batch was laid out;
 *   <li>a header of a later opening ({@link SegmentHeader#durableBefore}): what this audit found at that opening.
 *       Without it a later loss of the earlier opening's end would look like a torn tail;
 *   <li>{@link #durableThrough}: what this audit has found now. The next opening writes it into its headers.
 * </ul>
 *
 * <p>An opening that writes no batch hands on what it was told: its {@code durableThrough} is the {@code durableBefore}
 * of its own headers. One that writes lies behind the opening before it, whose segments are freed first. So the header
 * that tells of an opening's end is there as long as the batches that it tells of.
 */
public final class SequenceAudit {
    /** Required sequences of one opening: from the first to {@code last}, if {@code last} is not below it. */
    private static final class Opening {
        final long durableBefore;
        long last;

        Opening(long first, long durableBefore) {
            this.durableBefore = durableBefore;
            this.last = first - 1;
        }
    }

    /** Sequences that were not found, and where they should be. */
    public record Gap(long first, long last, Path file, long offset) {}

    private final TreeMap<Long, Opening> openings = new TreeMap<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final List<Gap> required = new ArrayList<>();
    private final DamageListener listener;
    private final long freedThrough;
    private long previous;
    private Path previousFile;
    private long previousEnd;

    /**
     * An audit of the segments with these headers.
     *
     * @param listener hears of each damage
     */
    public SequenceAudit(Collection<SegmentHeader> headers, Path directory, DamageListener listener) {
        this.listener = listener;
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
     * Checks the next valid batch, in the order of the log.
     *
     * @param openingSequence the first sequence of the opening that wrote the header of its segment
     * @return true if it is where it belongs
     */
    public boolean batch(Path file, long openingSequence, ScannedBatch batch) {
        long sequence = batch.sequence();
        if (sequence <= previous) {
            listener.damaged(
                    file,
                    batch.position(),
                    Damage.Kind.MISPLACED,
                    "batch sequence " + sequence + " comes after " + previous);
            return false;
        }
        Map.Entry<Long, Opening> opening = openings.floorEntry(sequence);
        if (opening == null || opening.getKey() != openingSequence || batch.durableThrough() >= sequence) {
            listener.damaged(
                    file,
                    batch.position(),
                    Damage.Kind.MISPLACED,
                    "batch sequence " + sequence + " is not of the opening that begins with " + openingSequence
                            + ", as its segment is");
            return false;
        }
        if (sequence != previous + 1) {
            boolean gapIsHere = batch.isBehindGap() || previousEnd == 0;
            gaps.add(new Gap(
                    previous + 1,
                    sequence - 1,
                    gapIsHere ? file : previousFile,
                    gapIsHere ? batch.gapStart() : previousEnd));
        }
        opening.getValue().last = Math.max(opening.getValue().last, batch.durableThrough());
        previous = sequence;
        previousFile = file;
        previousEnd = batch.end();
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
     * Checks that nothing acknowledged is missing; the listener hears of each missing batch and its place.
     *
     * @return the sequence up to which no batch is missing: the next opening may require these for ever
     */
    public long check() {
        for (Map.Entry<Long, Opening> opening : openings.entrySet()) {
            Map.Entry<Long, Opening> next = openings.higherEntry(opening.getKey());
            if (next != null) {
                opening.getValue().last = Math.max(opening.getValue().last, next.getValue().durableBefore);
            }
        }
        for (Gap gap : gaps) {
            checkNothingRequired(gap);
        }
        checkNothingRequired(new Gap(previous + 1, Long.MAX_VALUE, previousFile, previousEnd));
        return durableThrough();
    }

    private void checkNothingRequired(Gap gap) {
        for (Map.Entry<Long, Opening> opening : openings.entrySet()) {
            long first = Math.max(opening.getKey(), Math.max(gap.first, freedThrough + 1));
            long last = Math.min(opening.getValue().last, gap.last);
            if (first <= last) {
                required.add(new Gap(first, last, gap.file, gap.offset));
                listener.damaged(
                        gap.file,
                        gap.offset,
                        Damage.Kind.BATCH,
                        "batches " + first + " to " + last + " were acknowledged and are damaged or missing here");
            }
        }
    }

    /** The acknowledged sequences that {@link #check} has found missing. */
    public List<Gap> required() {
        return required;
    }

    /**
     * The last sequence, in the opening of the given one, up to which each batch is known to have been on disk. A mark,
     * a later opening, or {@link #check} tells so. Later batches are known by their own checksums only.
     */
    long coveredThrough(long sequence) {
        Map.Entry<Long, Opening> opening = openings.floorEntry(sequence);
        boolean isLast = openings.higherKey(sequence) == null;
        return isLast ? Math.max(durableThrough(), opening.getValue().last) : opening.getValue().last;
    }

    /**
     * The last sequence, in the opening of the given one, that a mark or the header of a later opening covers. All up
     * to it were on disk when that was written. To be asked after {@link #check}.
     */
    long markedThrough(long sequence) {
        return openings.floorEntry(sequence).getValue().last;
    }

    /** Whether the header was written by the last opening that has written one. */
    boolean isOfLastOpening(SegmentHeader header) {
        return header.firstSequence() == openings.lastKey();
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
