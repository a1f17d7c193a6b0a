package io.tallystick.narayana.doubt;

import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.common.recoveryPropertyManager;
import io.tallystick.narayana.drain.ActiveActions;
import io.tallystick.narayana.drain.OpenTransactions;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.narayana.logs.record.InDoubtTransaction;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.narayana.logs.record.RecordState;
import io.tallystick.narayana.logs.record.RecoveryTries;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * The transactions of a log that are in doubt now: those whose record stays there, and that are not open in this
 * process.
 *
 * <p><b>Cost.</b> A commit pays the question whether its record is watched. A look watches at most {@value #WATCHED}
 * records, those that were seen first. It reads those that were written since the last look, and a tenth of the others
 * in turn, because not everything that writes has to tell. A look decodes for half a second at most; the next one goes
 * on. What that costs beside commits is measured in docs/lab/stores.md.
 * {@link #look} answers with the last look while that is at most five seconds old.
 *
 * <p><b>Many records.</b> While there are more, each scan of recovery makes room for {@value #ROTATED} others: those go
 * that have been watched the longest and need no person. Their tries are counted anew when they come back. Beyond the
 * {@value #LISTED} records that a look lists of a type, the others wait until some of these are gone.
 *
 * <p><b>Recovery.</b> The adaptor of Narayana tells of each scan and of each record that recovery reads to finish its
 * transaction. A record is read for nothing else, so that is a try. A scan looks too, and tells of what has newly come
 * in doubt, see {@link DoubtEvents}. A look that fails does not end recovery.
 *
 * <p>It holds the store weakly. May be used by any number of threads.
 */
public final class InDoubtLook {
    /** How many records a look asks for. */
    public static final int WATCHED = 1_000;

    /** How long a look decodes records, nanoseconds. One record takes two million steps at most: some 20 ms. */
    static final long DECODING_NANOS = Duration.ofMillis(500).toNanos();

    // What is remembered of those that are not watched is bounded by it too.
    private static final int LISTED = 10_000;
    // The number of looks in which each record is read once, also if nobody has told of a change.
    private static final int LOOKS_OF_A_ROUND = 10;
    private static final int ROTATED = 100;
    // After a start the first one may come before recovery has asked the resources.
    private static final int TRIES_IN_VAIN = 2;
    private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();

    private static final System.Logger LOG = System.getLogger(InDoubtLook.class.getName());

    // By their logs. Static, because Narayana makes an adaptor for each role and hands them nothing in common.
    private static final WeakIdentities<InDoubtLook> OF_THIS_PROCESS = new WeakIdentities<>();

    private final WeakReference<ObjectStore> log;
    private final LongSupplier nanoTime;
    private final InstantSource timeOfDay;
    private final Supplier<Predicate<ObjectId>> openNow;
    private final BiConsumer<String, List<InDoubtTransaction>> listener;
    private final OpenTransactions open;
    // In the order in which they were seen first; guarded by this, as all that follows until the next remark.
    private final Map<StateKey, Watched> watched = new LinkedHashMap<>();
    // Those that were watched and made room, in this round through all records.
    private final Set<StateKey> passed = new HashSet<>();
    private final Set<StateKey> told = new LinkedHashSet<>();
    private InDoubtReport latest;
    private long lookedNanos;
    private long decodedNanos;
    private long scans;
    private long looks;
    private long places;
    private boolean isAllWatched = true;
    private boolean isFailureTold;
    // The same as watched, for the threads that write and recover.
    private final Map<StateKey, Watched> watchedNow = new ConcurrentHashMap<>();
    private volatile Optional<Long> scanNanos = Optional.empty();

    InDoubtLook(
            ObjectStore log,
            LongSupplier nanoTime,
            InstantSource timeOfDay,
            Supplier<Predicate<ObjectId>> openNow,
            BiConsumer<String, List<InDoubtTransaction>> listener) {
        this.log = new WeakReference<>(log);
        this.nanoTime = nanoTime;
        this.timeOfDay = timeOfDay;
        this.openNow = openNow;
        this.listener = listener;
        this.open = new OpenTransactions(nanoTime);
    }

    /** The look at this log, whose transactions are those of this process' Narayana; always the same one. */
    public static InDoubtLook of(ObjectStore log) {
        return OF_THIS_PROCESS.computeIfAbsent(
                log,
                () -> new InDoubtLook(
                        log,
                        NanoClock.SYSTEM::nanoTime,
                        InstantSource.system(),
                        ActiveActions::openNow,
                        DoubtEvents::came));
    }

    /** What is in doubt, at most five seconds ago; empty if the log cannot be listed, as when it is closed. */
    public synchronized Optional<InDoubtReport> look() {
        boolean isFresh = latest != null && nanoTime.getAsLong() - lookedNanos < FRESH_NANOS;
        return isFresh ? Optional.of(latest) : lookNow();
    }

    /** What is in doubt now; empty if the log cannot be listed. */
    public synchronized Optional<InDoubtReport> lookNow() {
        ObjectStore store = log.get();
        latest = null;
        if (store != null) {
            try {
                long now = nanoTime.getAsLong();
                latest = looked(store, now);
                lookedNanos = now;
            } catch (StoreException closedOrLost) { // its health tells
                return Optional.empty();
            }
        }
        return Optional.ofNullable(latest);
    }

    /** A scan of recovery begins. Tells of what has come in doubt: what the scans before have not finished. */
    public synchronized void scanBegins() {
        try {
            tellWhatCame(lookNow());
            makeRoom();
        } catch (RuntimeException | LinkageError failed) { // it would end Narayana's recovery thread
            tellOnce(failed);
        } finally {
            scanNanos = Optional.of(nanoTime.getAsLong());
            scans++;
        }
    }

    private void tellWhatCame(Optional<InDoubtReport> report) {
        List<InDoubtTransaction> came = report.stream()
                .flatMap(known -> known.transactions().stream())
                .filter(this::isForPerson)
                .filter(transaction -> !told.contains(transaction.logged().key()))
                .toList();
        ObjectStore store = log.get();
        if (!came.isEmpty() && store != null) {
            listener.accept(store.description().place(), came);
            came.forEach(transaction -> told.add(transaction.logged().key()));
            removeFirst(told, told.size() - LISTED);
        }
    }

    private static void removeFirst(Set<StateKey> keys, int count) {
        Iterator<StateKey> each = keys.iterator();
        for (int removed = 0; removed < count; removed++) {
            each.next();
            each.remove();
        }
    }

    /** What was watched at the scan before was told, if it had to be. */
    private void makeRoom() {
        if (isAllWatched) {
            return;
        }
        List<StateKey> leaving = watched.entrySet().stream()
                .filter(entry -> entry.getValue().sinceScan < scans)
                .filter(entry -> entry.getValue().decoded == null
                        || !needsPerson(entry.getValue().decoded.logged.state()))
                .map(Map.Entry::getKey)
                .limit(ROTATED)
                .toList();
        leaving.forEach(this::forget);
        if (passed.size() > LISTED) {
            passed.clear();
        }
        passed.addAll(leaving);
    }

    private void tellOnce(Throwable failed) {
        if (isFailureTold) {
            return;
        }
        isFailureTold = true;
        try {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0427 what is in doubt cannot be told; recovery goes on without it",
                    failed);
        } catch (RuntimeException | LinkageError ofTheHandler) { // which may be the reason
            isFailureTold = false;
        }
    }

    /** Recovery reads this record, to finish its transaction. */
    public void tried(StateKey record) {
        Watched known = watchedNow.get(record);
        if (known != null) {
            known.triedNanos = nanoTime.getAsLong();
            known.tries.incrementAndGet();
        }
    }

    /** This record was written or removed, or that was tried: the next look reads it. */
    public void written(StateKey record) {
        Watched known = watchedNow.isEmpty() ? null : watchedNow.get(record);
        if (known != null) {
            known.isWritten = true;
        }
    }

    // An open LRA and a participant of JTS are no doubt; a finished one needs nothing.
    private boolean isForPerson(InDoubtTransaction transaction) {
        RecordState state = transaction.logged().state();
        return needsPerson(state)
                || state == RecordState.IN_DOUBT
                        && transaction.tries().count() >= TRIES_IN_VAIN
                        && isTriedInVain(transaction.logged().key());
    }

    // Recovery lists the records in the middle of a scan too, while the try is under way.
    private boolean isTriedInVain(StateKey key) {
        Watched known = watched.get(key);
        long backoffSeconds =
                recoveryPropertyManager.getRecoveryEnvironmentBean().getRecoveryBackoffPeriod();
        return known != null
                && known.tries.get() > 0
                && nanoTime.getAsLong() - known.triedNanos
                        >= Duration.ofSeconds(backoffSeconds).toNanos();
    }

    private static boolean needsPerson(RecordState state) {
        return switch (state) {
            case HEURISTIC, GIVEN_UP, UNREADABLE -> true;
            case IN_DOUBT, FINISHED, NOT_DECODED, BOOKKEEPING, OTHER -> false;
        };
    }

    private InDoubtReport looked(ObjectStore store, long now) {
        looks++;
        watched.keySet().stream()
                .filter(key -> store.statusOf(key) == StateStatus.ABSENT)
                .toList()
                .forEach(this::forget);
        told.removeIf(key -> !watched.containsKey(key) && store.statusOf(key) == StateStatus.ABSENT);
        Map<String, Integer> counts = new TreeMap<>(store.countByType());
        counts.keySet().removeIf(type -> !LoggedTransaction.isOf(type));
        long records = counts.values().stream().mapToLong(count -> count).sum();
        if (records > watched.size() && watched.size() < WATCHED) {
            List<StateKey> keys = counts.keySet().stream()
                    .flatMap(type -> store.keys(type, LISTED).stream())
                    .toList();
            watch(keys, now);
            if (watched.size() < WATCHED) {
                passed.clear();
                watch(keys, now);
            }
        }
        isAllWatched = records <= watched.size();
        decodedNanos = 0;
        Instant time = timeOfDay.instant();
        Optional<Duration> next = scanNanos.map(scan -> untilNextScan(Duration.ofNanos(now - scan)));
        List<InDoubtTransaction> found = new ArrayList<>();
        // Asked after the listing: a transaction that has ended meanwhile has removed its record before.
        Predicate<ObjectId> isOpen = openNow.get();
        long undecoded = 0;
        for (Map.Entry<StateKey, Watched> entry : watched.entrySet()) {
            StateKey key = entry.getKey();
            Watched known = entry.getValue();
            if (isOpen.test(key.id())) {
                known.decoded = null;
                continue;
            }
            if (isDue(known)) {
                known.isWritten = false;
                Optional<byte[]> state = store.read(key);
                if (state.isEmpty()) {
                    known.decoded = null;
                    continue;
                }
                if (!isDecoded(key, state.get(), known)) {
                    known.isWritten = true;
                    undecoded++;
                    continue;
                }
            }
            Duration sinceFirstSeen = Duration.ofNanos(now - known.firstSeenNanos);
            found.add(transaction(known, time, sinceFirstSeen, next));
        }
        return new InDoubtReport(found, Math.max(0, records - watched.size()) + undecoded, oldestOpen());
    }

    private void watch(List<StateKey> keys, long now) {
        for (StateKey key : keys) {
            if (watched.size() >= WATCHED) {
                return;
            }
            if (!passed.contains(key) && !watched.containsKey(key)) {
                Watched known = new Watched(now, scans, places++);
                watched.put(key, known);
                watchedNow.put(key, known);
            }
        }
    }

    // Whether this look must read the record.
    private boolean isDue(Watched known) {
        return known.isWritten || known.decoded == null || (known.place + looks) % LOOKS_OF_A_ROUND == 0;
    }

    private void forget(StateKey key) {
        watched.remove(key);
        watchedNow.remove(key);
    }

    private InDoubtTransaction transaction(
            Watched known, Instant time, Duration sinceFirstSeen, Optional<Duration> next) {
        InDoubtTransaction transaction = InDoubtTransaction.at(
                time, known.decoded.logged, sinceFirstSeen, new RecoveryTries(known.tries.get(), next));
        return LastErrors.isAny() ? transaction.withLastErrors(LastErrors::of) : transaction;
    }

    /** Whether these bytes of the record are decoded now; not if this look has decoded for long enough. */
    private boolean isDecoded(StateKey key, byte[] state, Watched known) {
        CRC32C checksum = new CRC32C();
        checksum.update(state);
        Decoded before = known.decoded;
        if (before != null && before.bytes == state.length && before.checksum == checksum.getValue()) {
            return true;
        }
        if (decodedNanos >= DECODING_NANOS) {
            return false;
        }
        long begun = nanoTime.getAsLong();
        LoggedTransaction logged = LoggedTransaction.of(key, state);
        decodedNanos += nanoTime.getAsLong() - begun;
        known.decoded = new Decoded(state.length, checksum.getValue(), logged);
        return true;
    }

    /** A record that is watched. */
    private static final class Watched {
        private final long firstSeenNanos;
        // How many scans had begun when it was seen first.
        private final long sinceScan;
        // Tells in which looks it is read, whoever has written it.
        private final long place;
        private final AtomicLong tries = new AtomicLong();
        // By recovery's threads.
        private volatile long triedNanos;
        // Since a look has read it; by the threads that write.
        private volatile boolean isWritten;
        // Decoding a record takes far longer than reading it, and most of them do not change. Null if it must be read.
        private Decoded decoded;

        Watched(long firstSeenNanos, long sinceScan, long place) {
            this.firstSeenNanos = firstSeenNanos;
            this.sinceScan = sinceScan;
            this.place = place;
        }
    }

    /** A record that was decoded, with the length and checksum of its bytes. */
    private record Decoded(int bytes, long checksum, LoggedTransaction logged) {}

    // A scan has two passes, a backoff period apart; the next one begins a recovery period after its end.
    private static Duration untilNextScan(Duration sinceScan) {
        RecoveryEnvironmentBean bean = recoveryPropertyManager.getRecoveryEnvironmentBean();
        Duration left = Duration.ofSeconds(bean.getRecoveryBackoffPeriod())
                .plusSeconds(bean.getPeriodicRecoveryPeriod())
                .minus(sinceScan);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private Optional<InDoubtReport.OpenTransaction> oldestOpen() {
        return open.oldest()
                .map(oldest -> new InDoubtReport.OpenTransaction(oldest.uid(), oldest.age(), oldest.threads()));
    }
}
