package io.tallystick.store.postgresql;

import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A log in a database: a batch is a row. All living records are on the heap too, so reading asks nobody.
 *
 * <p>A batch is written by a {@link Lane}. As many may be under way as there are lanes, and a lane is taken for each.
 */
final class PostgresLog implements RecordLog {
    /** A batch is not made larger than this, unless one record is. */
    private static final int MAX_BATCH_BYTES = 1024 * 1024;

    private final PostgresOptions options;
    private final byte[] storeId;
    private final BlockingQueue<Lane> lanes = new LinkedBlockingQueue<>();
    private final List<Lane> allLanes;
    private final TimeLimit timeLimit;
    private final Carrier carrier;
    private final LeaseBeat beat;
    private final LogFigures figures;

    // Bytes of records that live or are on their way; any thread.
    private final AtomicLong liveBytes;

    // Guarded by the layout lock of the group commit.
    private final Ranges ranges;
    private long nextSequence;
    private long durableSequence;

    /**
     * @param lanes the connections that write
     * @param timeLimit of the lanes; it has a thread as soon as they write
     * @param replayed what was in the log
     * @param epochBegin the first sequence of this owner's epoch
     * @param figures hears how large the log is
     */
    PostgresLog(
            PostgresOptions options,
            byte[] storeId,
            List<Lane> lanes,
            TimeLimit timeLimit,
            Replay.Result replayed,
            long epochBegin,
            ConcurrentHashMap<StateKey, Version> index,
            LeaseBeat beat,
            LogFigures figures) {
        this.options = options;
        this.storeId = storeId;
        this.allLanes = List.copyOf(lanes);
        this.lanes.addAll(lanes);
        this.timeLimit = timeLimit;
        this.ranges = replayed.ranges();
        this.liveBytes = new AtomicLong(replayed.liveBytes());
        this.nextSequence = epochBegin;
        this.durableSequence = epochBegin - 1;
        this.carrier = new Carrier(index);
        this.beat = beat;
        this.figures = figures;
        figures.measure(ranges, replayed.liveBytes());
    }

    @Override
    public String name() {
        return PostgresStore.NAME;
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public void start(Rewriter rewriter) throws IOException {
        for (Lane lane : allLanes) {
            try {
                lane.open();
            } catch (SQLException refused) {
                throw new IOException(refused.getMessage(), refused);
            }
        }
        carrier.start(rewriter);
        beat.watch(rewriter);
    }

    @Override
    public int writesInFlight() {
        return allLanes.size();
    }

    @Override
    public void reserve(Version append) {
        long bytes = charge(append);
        long after = liveBytes.addAndGet(bytes);
        if (bytes > 0 && after > options.maxLiveBytes() && !append.isCarried()) {
            liveBytes.addAndGet(-bytes);
            throw new StoreFullException("the living states in " + options.place() + " take " + (after - bytes)
                    + " bytes; with this one of " + bytes + " bytes they would exceed "
                    + StoreOption.MAX_LIVE_SIZE.key() + "=" + options.maxLiveBytes()
                    + " bytes; raise it, or find out why transactions do not end");
        }
    }

    @Override
    public void refund(Version append) {
        liveBytes.addAndGet(-charge(append));
    }

    private static long charge(Version version) {
        return version.isTombstone() ? 0 : version.recordLength();
    }

    @Override
    public Batch layOut(Version first) {
        int bytes = 0;
        int count = 0;
        Version append = first;
        while (append != null && (count == 0 || bytes + append.recordLength() <= MAX_BATCH_BYTES)) {
            bytes += append.recordLength();
            count++;
            append = append.next();
        }
        long sequence = nextSequence;
        SequenceRange range = ranges.forBatch(sequence, bytes + (long) BatchBody.HEADER_BYTES);
        Version placed = first;
        for (int i = 0; i < count; i++) {
            placed.place(range, sequence);
            if (!placed.isTombstone()) {
                range.becameLive();
            }
            placed = placed.next();
        }
        long trimFrom = ranges.trimmedTo();
        PostgresBatch.Trim trim = new PostgresBatch.Trim(trimFrom, ranges.trimWith(sequence, durableSequence));
        PostgresBatch batch = new PostgresBatch(sequence, first, count, bytes, append, durableSequence, trim);
        nextSequence++;
        return batch;
    }

    @Override
    public void write(Batch batch) throws IOException {
        Lane lane = lanes.remove(); // there are as many as writes in flight
        try {
            lane.write((PostgresBatch) batch);
        } finally {
            lanes.add(lane);
        }
    }

    @Override
    public void durable(Batch batch, long durableThrough) {
        Version append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            Version superseded = append.previous();
            if (superseded != null && !superseded.isTombstone()) {
                ((SequenceRange) superseded.home()).becameDead();
                liveBytes.addAndGet(-charge(superseded));
            }
            if (append.isTombstone()) {
                append.dropRecord();
            }
            append = append.next();
        }
        durableSequence = durableThrough;
        ranges.landed(batch.sequence());
        long live = liveBytes.get();
        figures.measure(ranges, live);
        ranges.toCarry(live).ifPresent(carrier::request);
    }

    @Override
    public StateImage read(Version version) throws IOException {
        byte[] bytes = version.record();
        try {
            RecordDecoder.Header header =
                    new RecordDecoder(storeId, version.key()).decodeHeader(bytes, 0, bytes.length);
            return RecordDecoder.imageOf(bytes, 0, header);
        } catch (RecordDecoder.BadRecordException bad) {
            throw new IOException(
                    "its record is damaged in memory: " + bad.getMessage()
                            + "; restart the process, and check its memory",
                    bad);
        }
    }

    @Override
    public void close() {
        carrier.end();
        allLanes.forEach(Lane::close);
        timeLimit.close();
    }

    /**
     * Writes the living records of the oldest range again, on a thread of its own, so that the range can go. The thread
     * is the log's, and only the log ends it. An interrupt comes from a program that knows nothing of it. To end the
     * store for that would refuse commits, although nothing is wrong with the log.
     */
    private static final class Carrier {
        private static final SequenceRange END = new SequenceRange(0);

        private final ConcurrentHashMap<StateKey, Version> index;
        // At most one request is of use: the oldest range is one.
        private final BlockingQueue<SequenceRange> requests = new LinkedBlockingQueue<>(1);
        private Thread thread;

        Carrier(ConcurrentHashMap<StateKey, Version> index) {
            this.index = index;
        }

        void start(Rewriter rewriter) {
            thread = StoreThread.of(() -> run(rewriter), "tallystick-postgresql-carrier");
            thread.start();
        }

        /** Never waits. A request that finds another one there comes again with a later batch. */
        void request(SequenceRange range) {
            requests.offer(range);
        }

        void end() {
            if (thread != null) {
                requests.clear();
                requests.offer(END);
                UninterruptedWait.join(thread);
            }
        }

        private void run(Rewriter rewriter) {
            try {
                SequenceRange range = next();
                while (range != END && !rewriter.hasFailed()) {
                    carry(rewriter, range);
                    range = next();
                }
            } catch (StoreClosedException closing) { // what it carries is on the server already, in its old place
            } catch (RuntimeException | Error failed) {
                if (!rewriter.hasFailed()) {
                    rewriter.failStop(failed);
                }
            }
        }

        private SequenceRange next() {
            while (true) {
                try {
                    return requests.take();
                } catch (InterruptedException notForThisThread) {
                    // the flag is clear again
                }
            }
        }

        /** Only what has landed is carried: a copy holds the version that it is of, and must not land before it. */
        private void carry(Rewriter rewriter, SequenceRange range) {
            List<Carried> living = new ArrayList<>();
            boolean isUnderWay = false;
            for (Version version : index.values()) {
                byte[] record = version.record();
                if (version.home() == range && !version.isTombstone() && record != null) {
                    isUnderWay |= !version.isDone();
                    living.add(new Carried(version, record));
                }
            }
            if (isUnderWay) {
                rewriter.force();
                living.removeIf(each -> !each.version().isDone());
            }
            if (!living.isEmpty()) {
                rewriter.rewrite(living);
                rewriter.force();
            }
        }
    }
}
