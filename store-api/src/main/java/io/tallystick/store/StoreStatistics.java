package io.tallystick.store;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Counts since the store was opened, read without stopping it: figures of one snapshot may be a few operations apart.
 *
 * @param records keys that hold a value now
 * @param bytes state bytes held now, both values of a key counted
 * @param writes values written: committed values, shadows, commits of shadows
 * @param removes values removed: committed values and discarded shadows
 * @param reads values read and found
 * @param bytesWritten bytes handed to the disk, framing and padding included
 * @param forces times the store waited for the disk
 * @param recordsForced records made durable by those forces
 * @param forceLatency time that one force took
 * @param remote of a log on another machine; empty for other stores
 */
public record StoreStatistics(
        long records,
        long bytes,
        long writes,
        long removes,
        long reads,
        long bytesWritten,
        long forces,
        long recordsForced,
        Latency forceLatency,
        Optional<Remote> remote) {
    public StoreStatistics {
        Objects.requireNonNull(forceLatency);
        Objects.requireNonNull(remote);
    }

    /** Of a store whose log is on no other machine. */
    public StoreStatistics(
            long records,
            long bytes,
            long writes,
            long removes,
            long reads,
            long bytesWritten,
            long forces,
            long recordsForced,
            Latency forceLatency) {
        this(
                records,
                bytes,
                writes,
                removes,
                reads,
                bytesWritten,
                forces,
                recordsForced,
                forceLatency,
                Optional.empty());
    }

    /** The same, with what a log on another machine tells of itself. */
    public StoreStatistics with(Optional<Remote> ofLog) {
        return new StoreStatistics(
                records, bytes, writes, removes, reads, bytesWritten, forces, recordsForced, forceLatency, ofLog);
    }

    /**
     * What a log on another machine tells of itself. To read it asks that machine nothing.
     *
     * @param reconnects connections that were made since the opening, in the place of others that ended
     * @param looks times that the outcome of a write was asked for, because no answer had come
     * @param unconfirmedRounds further questions to a standby that did not have a write yet
     * @param waitingCommits writes that waited for a standby when the owner last gave a sign of life
     * @param longestWait how long the oldest of these had waited then
     * @param sinceOwned how long ago the server was last asked, and said that the log is this owner's
     * @param epoch how many owners the log has had, this one included
     * @param batches batches that are in the log
     * @param batchBytes their bytes
     * @param trimLagBytes bytes of batches that should be deleted already, because nothing in them lives or what lives
     *     is to be carried forward
     */
    public record Remote(
            long reconnects,
            long looks,
            long unconfirmedRounds,
            int waitingCommits,
            Duration longestWait,
            Duration sinceOwned,
            long epoch,
            long batches,
            long batchBytes,
            long trimLagBytes) {
        public Remote {
            Objects.requireNonNull(longestWait);
            Objects.requireNonNull(sinceOwned);
        }
    }

    /** How many records one force carried on average; 0 before the first. */
    public double recordsPerForce() {
        return forces == 0 ? 0 : (double) recordsForced / forces;
    }

    /**
     * A distribution of times, exact to 1/16 of a value.
     *
     * @param count the number of times
     * @param meanNanos arithmetic mean, nanoseconds
     * @param p50Nanos half took at most this, nanoseconds
     * @param p99Nanos 99 % took at most this, nanoseconds
     * @param p999Nanos 99.9 % took at most this, nanoseconds
     * @param maxNanos the longest, nanoseconds
     * @param buckets the buckets that hold a time, shortest first
     */
    public record Latency(
            long count,
            double meanNanos,
            long p50Nanos,
            long p99Nanos,
            long p999Nanos,
            long maxNanos,
            List<Bucket> buckets) {
        /** No time was measured yet. */
        public static final Latency NONE = new Latency(0, 0, 0, 0, 0, 0, List.of());

        public Latency {
            buckets = List.copyOf(buckets);
        }

        /**
         * How many times were at most this, exact to 1/16 of it: a bucket that goes beyond it is left out.
         *
         * @param nanos nanoseconds
         */
        public long countUpTo(long nanos) {
            long upTo = 0;
            for (Bucket bucket : buckets) {
                if (bucket.highestNanos() > nanos) {
                    return upTo;
                }
                upTo += bucket.count();
            }
            return upTo;
        }
    }

    /**
     * Times of nearly the same length.
     *
     * @param highestNanos the longest time that counts here, nanoseconds
     * @param count how many
     */
    public record Bucket(long highestNanos, long count) {}
}
