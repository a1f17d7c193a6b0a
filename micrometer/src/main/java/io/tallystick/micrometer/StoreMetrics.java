package io.tallystick.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreStatistics;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * An open store as Micrometer metrics.
 *
 * <pre>{@code
 * StoreMetrics metrics = new StoreMetrics(store);
 * metrics.bindTo(registry);
 * ...
 * metrics.close(); // when the store is closed
 * }</pre>
 *
 * <p>Every meter has the tags {@code store}, {@code engine} (empty except for a journal), {@code place} (the directory,
 * or the database with its schema and node; empty in memory) and {@code node} (the node that the store belongs to;
 * empty where it belongs to none). A value that a scrape reads is at most a second old. No thread asks the store
 * between scrapes. The registry holds the store weakly: a store that nothing else holds goes, and its meters have no
 * value any more. May be used by any number of threads.
 */
public final class StoreMetrics implements MeterBinder, AutoCloseable {
    private static final String RECORDS = "records";
    private static final String BYTES = "bytes";
    private static final String STATES = "states";

    /** From the fastest disk with a cache of its own to one that hangs: 1, 2 and 5 of each power of ten. */
    private static final long[] FORCE_BOUNDS_NANOS = {
        20_000L,
        50_000L,
        100_000L,
        200_000L,
        500_000L,
        1_000_000L,
        2_000_000L,
        5_000_000L,
        10_000_000L,
        20_000_000L,
        50_000_000L,
        100_000_000L,
        200_000_000L,
        500_000_000L,
        1_000_000_000L,
        2_000_000_000L,
        5_000_000_000L,
        10_000_000_000L
    };

    private final ObjectStore store;
    private final Tags tags;
    private final CachedValue<ObjectStore, StoreStatistics> statistics;
    private final CachedValue<ObjectStore, StoreHealth> health;
    private final List<Meters<ObjectStore>> bound = new CopyOnWriteArrayList<>();

    /** Metrics of this store. */
    public StoreMetrics(ObjectStore store) {
        this(store, Tags.empty());
    }

    /** Metrics of this store, with these tags besides their own. */
    public StoreMetrics(ObjectStore store, Iterable<Tag> tags) {
        this(store, tags, System::nanoTime);
    }

    StoreMetrics(ObjectStore store, Iterable<Tag> tags, LongSupplier nanoTime) {
        this.store = store;
        this.tags = tagsOf(store).and(tags);
        this.statistics = new CachedValue<>(ObjectStore::statistics, nanoTime);
        this.health = new CachedValue<>(ObjectStore::health, nanoTime);
    }

    /** The tags of every meter of this store. */
    static Tags tagsOf(ObjectStore store) {
        StoreDescription description = store.description();
        return Tags.of(
                "store",
                description.store(),
                "engine",
                description.engine().orElse(""),
                "place",
                description.place(),
                "node",
                store.health().nodeId().orElse(""));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Meters<ObjectStore> meters = new Meters<>(registry, store, tags);
        // The functions must not hold this object: it holds the store.
        bindStatistics(meters, statistics);
        bindForces(meters, statistics);
        bindHealth(meters, health);
        if (store.statistics().remote().isPresent()) {
            bindRemote(meters, statistics);
        }
        bound.add(meters);
    }

    /** Takes the meters out of every registry that they were bound to; a second call does nothing. */
    @Override
    public void close() {
        bound.forEach(Meters::remove);
        bound.clear();
    }

    private static void bindStatistics(
            Meters<ObjectStore> meters, CachedValue<ObjectStore, StoreStatistics> statistics) {
        meters.gauge("tallystick.store.records", RECORDS, "Keys that hold a value now", it -> statistics
                        .of(it)
                        .records())
                .gauge("tallystick.store.bytes", BYTES, "State bytes held now", it -> statistics
                        .of(it)
                        .bytes())
                .counter("tallystick.store.writes", STATES, "Values written", it -> statistics
                        .of(it)
                        .writes())
                .counter("tallystick.store.removes", STATES, "Values removed", it -> statistics
                        .of(it)
                        .removes())
                .counter("tallystick.store.reads", STATES, "Values read and found", it -> statistics
                        .of(it)
                        .reads())
                .counter("tallystick.store.disk.writes", BYTES, "Bytes handed to the disk", it -> statistics
                        .of(it)
                        .bytesWritten());
    }

    private static void bindForces(Meters<ObjectStore> meters, CachedValue<ObjectStore, StoreStatistics> statistics) {
        meters.timer(
                        "tallystick.store.forces",
                        "Waits for the disk",
                        it -> statistics.of(it).forces(),
                        it -> statistics.of(it).forceLatency().meanNanos()
                                * statistics.of(it).forceLatency().count())
                .counter(
                        "tallystick.store.forces.records",
                        RECORDS,
                        "Records made durable by waits for the disk",
                        it -> statistics.of(it).recordsForced())
                .histogram(
                        "tallystick.store.forces.histogram",
                        "Waits for the disk that took at most le seconds",
                        FORCE_BOUNDS_NANOS,
                        (it, nanos) -> statistics.of(it).forceLatency().countUpTo(nanos))
                .time(
                        "tallystick.store.forces.worst",
                        "The longest wait since opening",
                        it -> statistics.of(it).forceLatency().maxNanos());
    }

    private static void bindHealth(Meters<ObjectStore> meters, CachedValue<ObjectStore, StoreHealth> health) {
        meters.gauge(
                        "tallystick.store.serving",
                        null,
                        "1 while transactions can be logged here, else 0",
                        it -> health.of(it).isServing() ? 1 : 0)
                .gauge(
                        "tallystick.store.failed",
                        null,
                        "1 if the store has failed stop, else 0",
                        it -> health.of(it).state() == StoreHealth.State.FAILED ? 1 : 0)
                .gauge(
                        "tallystick.store.recovering",
                        null,
                        "1 while the store looks for its database after an outage, else 0",
                        it -> health.of(it).state() == StoreHealth.State.RECOVERING ? 1 : 0)
                .gauge(
                        "tallystick.store.lock.held",
                        null,
                        "1 while no other process can have the log, else 0",
                        it -> health.of(it).lockHeld() ? 1 : 0)
                .time(
                        "tallystick.store.force.age",
                        "Time since the last successful wait for the disk",
                        it -> nanos(health.of(it).lastForceAge()))
                .gauge(
                        "tallystick.store.disk.usable",
                        BYTES,
                        "Room left on the disk",
                        it -> bytes(health.of(it).usableBytes()))
                .time(
                        "tallystick.store.oldest.record.age",
                        "Time since the oldest record was first seen in the store",
                        it -> nanos(health.of(it).oldestRecordAge()));
    }

    private static void bindRemote(Meters<ObjectStore> meters, CachedValue<ObjectStore, StoreStatistics> statistics) {
        meters.counter(
                        "tallystick.store.remote.reconnects",
                        "connections",
                        "Connections to the server made after the opening",
                        it -> remote(statistics.of(it), StoreStatistics.Remote::reconnects))
                .counter(
                        "tallystick.store.remote.looks",
                        null,
                        "Questions for the outcome of a write that got no answer",
                        it -> remote(statistics.of(it), StoreStatistics.Remote::looks))
                .counter(
                        "tallystick.store.remote.unconfirmed.rounds",
                        null,
                        "Further questions to a standby that lacked a write",
                        it -> remote(statistics.of(it), StoreStatistics.Remote::unconfirmedRounds))
                .gauge(
                        "tallystick.store.remote.waiting.commits",
                        null,
                        "Writes that waited for a standby at the last sign of life",
                        it -> remote(statistics.of(it), StoreStatistics.Remote::waitingCommits))
                .time(
                        "tallystick.store.remote.waiting.longest",
                        "How long the oldest of these writes had waited",
                        it -> remote(statistics.of(it), remote -> remote.longestWait()
                                .toNanos()))
                .time(
                        "tallystick.store.remote.owned.age",
                        "Time since the server said that the log is this process' own",
                        it -> remote(
                                statistics.of(it), remote -> remote.sinceOwned().toNanos()))
                .gauge(
                        "tallystick.store.remote.epoch",
                        null,
                        "How many owners the log has had",
                        it -> remote(statistics.of(it), StoreStatistics.Remote::epoch))
                .gauge(
                        "tallystick.store.remote.batches",
                        null,
                        "Batches that are in the log: rows of its table",
                        it -> remote(statistics.of(it), StoreStatistics.Remote::batches))
                .gauge(
                        "tallystick.store.remote.batch.size",
                        BYTES,
                        "Bytes of the batches that are in the log",
                        it -> remote(statistics.of(it), StoreStatistics.Remote::batchBytes))
                .gauge(
                        "tallystick.store.remote.trim.lag",
                        BYTES,
                        "Bytes of batches beyond those that a log keeps at rest",
                        it -> remote(statistics.of(it), StoreStatistics.Remote::trimLagBytes));
    }

    private static double remote(StoreStatistics statistics, ToLongFunction<StoreStatistics.Remote> figure) {
        return statistics.remote().isPresent()
                ? figure.applyAsLong(statistics.remote().get())
                : Double.NaN;
    }

    private static double bytes(OptionalLong known) {
        return known.isPresent() ? known.getAsLong() : Double.NaN;
    }

    private static double nanos(Optional<Duration> duration) {
        return duration.map(Duration::toNanos).map(Long::doubleValue).orElse(Double.NaN);
    }
}
