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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
 * <p><b>Cost.</b> A commit pays nothing. A look asks for at most {@value #WATCHED} records, those that were seen first,
 * and reads them; so 300,000 records cost what {@value #WATCHED} cost. {@link #look} answers with the last look while
 * that is at most five seconds old.
 *
 * <p><b>Recovery.</b> The adaptor of Narayana tells of each scan and of each record that recovery reads to finish its
 * transaction. A record is read for nothing else, so that is a try. A scan looks too, and tells of what has newly come
 * in doubt, see {@link DoubtEvents}.
 *
 * <p>It holds the store weakly. May be used by any number of threads.
 */
public final class InDoubtLook {
    /** How many records a look asks for. */
    public static final int WATCHED = 1_000;

    // As health does: a store with more records is listed only while none is watched.
    private static final int LISTED = 10_000;
    // After a start the first one may come before recovery has asked the resources.
    private static final int TRIES_IN_VAIN = 2;
    private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();

    // By their logs. Static, because Narayana makes an adaptor for each role and hands them nothing in common.
    private static final WeakIdentities<InDoubtLook> OF_THIS_PROCESS = new WeakIdentities<>();

    private final WeakReference<ObjectStore> log;
    private final LongSupplier nanoTime;
    private final InstantSource timeOfDay;
    private final Supplier<Predicate<ObjectId>> openNow;
    private final BiConsumer<String, List<InDoubtTransaction>> listener;
    private final OpenTransactions open;
    // In the order in which they were seen first; guarded by this, as all that follows until the next remark.
    private final Map<StateKey, Long> firstSeenNanos = new LinkedHashMap<>();
    private final Set<StateKey> told = new HashSet<>();
    // Decoding a record takes far longer than reading it, and most of them do not change.
    private final Map<StateKey, Decoded> decoded = new HashMap<>();
    private InDoubtReport latest;
    private long lookedNanos;
    // By recovery's threads. Only records that are watched are counted.
    private final Map<StateKey, AtomicLong> tries = new ConcurrentHashMap<>();
    private final Map<StateKey, Long> triedNanos = new ConcurrentHashMap<>();
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
        Optional<InDoubtReport> report = lookNow();
        scanNanos = Optional.of(nanoTime.getAsLong());
        List<InDoubtTransaction> came = report.stream()
                .flatMap(known -> known.transactions().stream())
                .filter(this::isForPerson)
                .filter(transaction -> told.add(transaction.logged().key()))
                .toList();
        ObjectStore store = log.get();
        if (!came.isEmpty() && store != null) {
            listener.accept(store.description().place(), came);
        }
    }

    /** Recovery reads this record, to finish its transaction. */
    public void tried(StateKey record) {
        AtomicLong count = tries.get(record);
        if (count != null) {
            count.incrementAndGet();
            triedNanos.put(record, nanoTime.getAsLong());
        }
    }

    // An open LRA and a participant of JTS are no doubt; a finished one needs nothing.
    private boolean isForPerson(InDoubtTransaction transaction) {
        RecordState state = transaction.logged().state();
        return switch (state) {
            case HEURISTIC, GIVEN_UP, UNREADABLE -> true;
            case IN_DOUBT ->
                transaction.tries().count() >= TRIES_IN_VAIN
                        && isTriedInVain(transaction.logged().key());
            case FINISHED, NOT_DECODED, BOOKKEEPING, OTHER -> false;
        };
    }

    // Recovery lists the records in the middle of a scan too, while the try is under way.
    private boolean isTriedInVain(StateKey key) {
        Long tried = triedNanos.get(key);
        long backoffSeconds =
                recoveryPropertyManager.getRecoveryEnvironmentBean().getRecoveryBackoffPeriod();
        return tried != null
                && nanoTime.getAsLong() - tried
                        >= Duration.ofSeconds(backoffSeconds).toNanos();
    }

    private InDoubtReport looked(ObjectStore store, long now) {
        firstSeenNanos.keySet().removeIf(key -> store.statusOf(key) == StateStatus.ABSENT);
        Map<String, Integer> counts = new TreeMap<>(store.countByType());
        counts.keySet().removeIf(type -> !LoggedTransaction.isOf(type));
        long records = counts.values().stream().mapToLong(count -> count).sum();
        if (shouldList(records)) {
            for (String type : counts.keySet()) {
                watch(store.keys(type, records <= LISTED ? LISTED : WATCHED), now);
            }
        }
        tries.keySet().retainAll(firstSeenNanos.keySet());
        triedNanos.keySet().retainAll(firstSeenNanos.keySet());
        told.retainAll(firstSeenNanos.keySet());
        decoded.keySet().retainAll(firstSeenNanos.keySet());
        Instant time = timeOfDay.instant();
        Optional<Duration> next = scanNanos.map(scan -> untilNextScan(Duration.ofNanos(now - scan)));
        List<InDoubtTransaction> found = new ArrayList<>();
        // Asked after the listing: a transaction that has ended meanwhile has removed its record before.
        Predicate<ObjectId> isOpen = openNow.get();
        firstSeenNanos.forEach((key, first) -> {
            if (!isOpen.test(key.id())) {
                store.read(key)
                        .map(state -> transaction(key, state, time, Duration.ofNanos(now - first), next))
                        .ifPresent(found::add);
            }
        });
        return new InDoubtReport(found, Math.max(0, records - firstSeenNanos.size()), oldestOpen());
    }

    private boolean shouldList(long records) {
        int watched = firstSeenNanos.size();
        return records > watched && (records <= LISTED ? watched < WATCHED : watched == 0);
    }

    private void watch(List<StateKey> keys, long now) {
        for (StateKey key : keys) {
            if (firstSeenNanos.size() >= WATCHED) {
                return;
            }
            if (firstSeenNanos.putIfAbsent(key, now) == null) {
                tries.put(key, new AtomicLong());
            }
        }
    }

    private InDoubtTransaction transaction(
            StateKey key, byte[] state, Instant time, Duration sinceFirstSeen, Optional<Duration> next) {
        AtomicLong count = tries.get(key);
        return InDoubtTransaction.at(
                        time,
                        logged(key, state),
                        sinceFirstSeen,
                        new RecoveryTries(count == null ? 0 : count.get(), next))
                .withLastErrors(LastErrors::of);
    }

    private LoggedTransaction logged(StateKey key, byte[] state) {
        CRC32C checksum = new CRC32C();
        checksum.update(state);
        Decoded before = decoded.get(key);
        if (before != null && before.bytes == state.length && before.checksum == checksum.getValue()) {
            return before.logged;
        }
        LoggedTransaction logged = LoggedTransaction.of(key, state);
        decoded.put(key, new Decoded(state.length, checksum.getValue(), logged));
        return logged;
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
