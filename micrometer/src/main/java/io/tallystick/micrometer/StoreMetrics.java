package io.tallystick.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreStatistics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

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
 * <p>Every meter has the tags {@code store}, {@code engine} (empty except for a journal) and {@code directory} (empty
 * in memory). A value that a scrape reads is at most a second old. No thread asks the store between scrapes. The
 * registry holds the store weakly. May be used by any number of threads.
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
    private final CachedValue<StoreStatistics> statistics;
    private final CachedValue<StoreHealth> health;
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
        StoreDescription description = store.description();
        this.store = store;
        this.tags = Tags.of(
                        "store",
                        description.store(),
                        "engine",
                        description.engine().orElse(""),
                        "directory",
                        description.directory().map(Path::toString).orElse(""))
                .and(tags);
        this.statistics = new CachedValue<>(store::statistics, nanoTime);
        this.health = new CachedValue<>(store::health, nanoTime);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Meters<ObjectStore> meters = new Meters<>(registry, store, tags);
        bindStatistics(meters);
        bindForces(meters);
        bindHealth(meters);
        bound.add(meters);
    }

    /** Takes the meters out of every registry that they were bound to; a second call does nothing. */
    @Override
    public void close() {
        bound.forEach(Meters::remove);
        bound.clear();
    }

    private void bindStatistics(Meters<ObjectStore> meters) {
        meters.gauge("tallystick.store.records", RECORDS, "Keys that hold a value now", it -> statistics
                        .get()
                        .records())
                .gauge("tallystick.store.bytes", BYTES, "State bytes held now", it -> statistics
                        .get()
                        .bytes())
                .counter("tallystick.store.writes", STATES, "Values written", it -> statistics
                        .get()
                        .writes())
                .counter("tallystick.store.removes", STATES, "Values removed", it -> statistics
                        .get()
                        .removes())
                .counter("tallystick.store.reads", STATES, "Values read and found", it -> statistics
                        .get()
                        .reads())
                .counter("tallystick.store.disk.writes", BYTES, "Bytes handed to the disk", it -> statistics
                        .get()
                        .bytesWritten());
    }

    private void bindForces(Meters<ObjectStore> meters) {
        meters.timer(
                        "tallystick.store.forces",
                        "Waits for the disk",
                        it -> statistics.get().forces(),
                        it -> statistics.get().forceLatency().meanNanos()
                                * statistics.get().forceLatency().count())
                .counter(
                        "tallystick.store.forces.records",
                        RECORDS,
                        "Records made durable by waits for the disk",
                        it -> statistics.get().recordsForced())
                .histogram(
                        "tallystick.store.forces.histogram",
                        "Waits for the disk that took at most le seconds",
                        FORCE_BOUNDS_NANOS,
                        (it, nanos) -> latency().countUpTo(nanos))
                .time("tallystick.store.forces.worst", "The longest wait since opening", it -> latency()
                        .maxNanos());
    }

    private void bindHealth(Meters<ObjectStore> meters) {
        meters.gauge(
                        "tallystick.store.serving",
                        null,
                        "1 while transactions can be logged here, else 0",
                        it -> health.get().isServing() ? 1 : 0)
                .gauge(
                        "tallystick.store.failed",
                        null,
                        "1 if the store has failed stop, else 0",
                        it -> health.get().state() == StoreHealth.State.FAILED ? 1 : 0)
                .gauge(
                        "tallystick.store.lock.held",
                        null,
                        "1 while no other process can have the directory, else 0",
                        it -> health.get().lockHeld() ? 1 : 0)
                .time(
                        "tallystick.store.force.age",
                        "Time since the last successful wait for the disk",
                        it -> nanos(health.get().lastForceAge()))
                .gauge("tallystick.store.disk.usable", BYTES, "Room left on the disk", it -> usableBytes())
                .time(
                        "tallystick.store.oldest.record.age",
                        "Time since the oldest record was first seen in the store",
                        it -> nanos(health.get().oldestRecordAge()));
    }

    private StoreStatistics.Latency latency() {
        return statistics.get().forceLatency();
    }

    private double usableBytes() {
        return health.get().usableBytes().isPresent()
                ? health.get().usableBytes().getAsLong()
                : Double.NaN;
    }

    private static double nanos(Optional<Duration> duration) {
        return duration.map(Duration::toNanos).map(Long::doubleValue).orElse(Double.NaN);
    }
}
