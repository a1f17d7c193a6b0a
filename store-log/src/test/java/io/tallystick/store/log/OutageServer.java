package io.tallystick.store.log;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.log.ReopeningStore.Reopened;
import io.tallystick.store.log.ReopeningStore.Reopener;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.spi.RecordHome;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiFunction;

/** A server in memory with its log: it knows records by key, and one owner. It goes out while batches are under way. */
final class OutageServer implements Reopener {
    private static final UUID ID = new UUID(1, 2);
    private static final byte[] STORE_ID =
            ByteBuffer.allocate(16).putLong(1).putLong(2).array();

    private final Map<StateKey, byte[]> records = new HashMap<>();
    private final Set<StateKey> parks = new HashSet<>();
    private final List<Parked> parked = new ArrayList<>();
    private Random random = new Random(0);
    private int epoch;
    private int batches;
    private boolean isOut;
    private int laterFailures;
    private boolean laterLand;
    private volatile GatedIndex latest;
    /** Another owner has the log when the next try begins. */
    volatile boolean isTaken;
    /** Another owner has the log when a try has opened it. */
    volatile boolean isTakenWhenReopened;
    /** Of a batch that waited it is known that the server never got it. */
    volatile boolean isProven;
    /** A try ends with an error. */
    volatile boolean isBroken;
    /** Of the try that is under way. */
    volatile LogStore failed;

    private static final class OutException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** A batch that waits. */
    private static final class Parked {
        private boolean isOver;
        private boolean fails;
    }

    static StateKey key(int number) {
        return StateKey.of("/Type", ObjectId.of(new byte[] {(byte) number}));
    }

    ObjectStore open(boolean holdsUnknown) {
        try {
            return ReopeningStore.over(reopen(Optional.empty()).store(), this, holdsUnknown, NanoClock.SYSTEM);
        } catch (IOException refused) {
            throw new IllegalStateException(refused);
        }
    }

    /** Whether the thread that reopens waits for a lock, or for callers on their way into the index. */
    static boolean isTryStuck() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().startsWith("tallystick-reopening"))
                .anyMatch(each -> each.getKey().getState() == Thread.State.BLOCKED
                        || Arrays.stream(each.getValue())
                                .anyMatch(frame -> frame.getMethodName().equals("compareWith")));
    }

    synchronized int batches() {
        return batches;
    }

    synchronized void goOut(long seed) {
        random = new Random(seed);
        isOut = true;
    }

    synchronized void comeBack() {
        isOut = false;
    }

    /** The caller that changes this key stops where its change is queued, and not in the index. */
    void holdInIndex(StateKey key, CountDownLatch gate) {
        latest.gate = gate;
        latest.held = key;
    }

    /** The next batch that holds one of these keys waits, with its lane. */
    synchronized void park(StateKey... keys) {
        parks.addAll(Set.of(keys));
    }

    synchronized int parked() {
        return parked.size();
    }

    /** The batches that wait meet an outage, and are not written. */
    void failParked() {
        endParking(true);
    }

    void letParkedGo() {
        endParking(false);
    }

    private synchronized void endParking(boolean fails) {
        for (Parked each : parked) {
            each.isOver = true;
            each.fails = fails;
        }
        parked.clear();
        notifyAll();
    }

    /** So many batches of later epochs meet an outage. */
    synchronized void failLater(int count, boolean lands) {
        laterFailures = count;
        laterLand = lands;
    }

    synchronized boolean isEpoch(int number) {
        return epoch >= number;
    }

    synchronized boolean holds(StateKey key, int value) {
        byte[] bytes = records.get(key);
        return bytes != null && Arrays.equals(imageOf(bytes).committed(), new byte[] {(byte) value});
    }

    synchronized boolean isAbsent(StateKey key) {
        return !records.containsKey(key);
    }

    synchronized void lose(StateKey key) {
        records.remove(key);
    }

    private synchronized void write(RecordLog.Batch batch, int of) throws IOException {
        if (of != epoch) {
            throw new RecordLog.NotWrittenException("another epoch", true, null);
        }
        batches++;
        List<Version> appends = new ArrayList<>();
        for (Version append = batch.first(); appends.size() < batch.count(); append = append.next()) {
            appends.add(append);
        }
        if (appends.stream().anyMatch(append -> parks.remove(append.key()))) {
            awaitLeave();
        }
        boolean failsLater = of > 1 && laterFailures > 0;
        if (failsLater) {
            laterFailures--;
        }
        if (failsLater ? laterLand : !isOut || random.nextBoolean()) {
            appends.forEach(this::land);
        }
        if (isOut || failsLater) {
            throw new OutException();
        }
    }

    private void awaitLeave() throws IOException {
        Parked here = new Parked();
        parked.add(here);
        try {
            while (!here.isOver) {
                wait();
            }
        } catch (InterruptedException ended) {
            throw new IOException(ended);
        }
        if (here.fails) {
            throw isProven ? new RecordLog.NotWrittenException("no connection", false, null) : new OutException();
        }
    }

    private void land(Version append) {
        if (append.isTombstone()) {
            records.remove(append.key());
        } else {
            records.put(append.key(), append.record());
        }
    }

    @Override
    public boolean isOutage(Throwable cause) {
        return cause instanceof OutException
                || cause instanceof RecordLog.NotWrittenException proof && !proof.isFenced();
    }

    @Override
    public Optional<Reopened> tryReopen(LogStore failed) throws IOException {
        this.failed = failed;
        if (isBroken) {
            throw new IllegalStateException("broken");
        }
        synchronized (this) {
            if (isOut) {
                return Optional.empty();
            }
        }
        if (isTaken) {
            throw new RecordLog.NotWrittenException("taken", true, null);
        }
        Reopened reopened = reopen(Optional.of(failed));
        if (isTakenWhenReopened) {
            reopened.store().failStop(new RecordLog.NotWrittenException("taken", true, null));
        }
        return Optional.of(reopened);
    }

    Reopened reopen(Optional<LogStore> failed) throws IOException {
        GatedIndex index = new GatedIndex();
        latest = index;
        ServerLog log;
        synchronized (this) {
            log = new ServerLog(this, ++epoch);
            for (Map.Entry<StateKey, byte[]> each : records.entrySet()) {
                byte[] bytes = each.getValue();
                try {
                    index.put(
                            each.getKey(),
                            Version.recovered(
                                    new RecordDecoder(STORE_ID).decodeHeader(bytes, 0, bytes.length), bytes, log, 0));
                } catch (RecordDecoder.BadRecordException damaged) {
                    throw new IOException(damaged);
                }
            }
        }
        Reconciliation settled = failed.map(store -> store.compareWith(index)).orElse(null);
        if (settled != null && settled.lost().isPresent()) {
            throw new RecordLog.LogLostException("lacks " + settled.lost().get());
        }
        StatisticsRecorder statistics = new StatisticsRecorder();
        LogSettings settings = new LogSettings(
                "test",
                STORE_ID,
                1000,
                WaitStrategy.EXPECTED_END,
                Optional.empty(),
                NanoClock.SYSTEM,
                statistics,
                new StoreDescription("server", Optional.empty(), Optional.empty(), Optional.empty(), "server", "", ""));
        LogStore store = LogStore.open(
                log, index, new Place(), settings, statistics.events().beginRecovery());
        return new Reopened(store, settled);
    }

    @Override
    public String obstacle() {
        return "";
    }

    @Override
    public String place() {
        return "memory:server";
    }

    /** An index in which a caller is held under the lock of its key, after its step. */
    private static final class GatedIndex extends ConcurrentHashMap<StateKey, Version> {
        private static final long serialVersionUID = 1L;

        private transient volatile StateKey held;
        private transient volatile CountDownLatch gate;

        @Override
        public Version compute(
                StateKey key, BiFunction<? super StateKey, ? super Version, ? extends Version> remapping) {
            return super.compute(key, (same, before) -> {
                Version after = remapping.apply(same, before);
                if (key.equals(held)) {
                    UninterruptedWait.through(gate::await);
                }
                return after;
            });
        }
    }

    /** A log on the server. */
    private static final class ServerLog implements RecordLog, RecordHome {
        private static final int MOST_APPENDS = 3;

        private final OutageServer server;
        private final int epoch;
        private long sequence;

        private static final class ServerBatch extends Batch {
            ServerBatch(long sequence, Version first, int count, Version rest) {
                super(sequence, first, count, count, rest);
            }
        }

        ServerLog(OutageServer server, int epoch) {
            this.server = server;
            this.epoch = epoch;
        }

        @Override
        public boolean isRemote() {
            return true;
        }

        @Override
        public int writesInFlight() {
            return 2;
        }

        @Override
        public void reserve(Version append) {
            // there is always room
        }

        @Override
        public void refund(Version append) {
            // there is always room
        }

        @Override
        public Batch layOut(Version first) {
            int count = 0;
            Version append = first;
            while (append != null && count < MOST_APPENDS) {
                append.place(this, count++);
                append = append.next();
            }
            return new ServerBatch(++sequence, first, count, append);
        }

        @Override
        public void write(Batch batch) throws IOException {
            server.write(batch, epoch);
        }

        @Override
        public void durable(Batch batch, long durableSequence) {
            // nothing is counted
        }

        @Override
        public StateImage read(Version version) {
            return imageOf(version.record());
        }

        @Override
        public void close() {
            // the server goes on
        }
    }

    private static StateImage imageOf(byte[] bytes) {
        try {
            return RecordDecoder.imageOf(bytes, 0, new RecordDecoder(STORE_ID).decodeHeader(bytes, 0, bytes.length));
        } catch (RecordDecoder.BadRecordException damaged) {
            throw new IllegalStateException(damaged);
        }
    }

    /** A place in memory. */
    private static final class Place implements LogHome {
        @Override
        public UUID storeId() {
            return ID;
        }

        @Override
        public Optional<String> nodeId() {
            return Optional.empty();
        }

        @Override
        public boolean isOwned() {
            return true;
        }

        @Override
        public OptionalLong usableBytes() {
            return OptionalLong.empty();
        }

        @Override
        public String place() {
            return "memory:server";
        }

        @Override
        public void close() {
            // memory goes by itself
        }
    }
}
