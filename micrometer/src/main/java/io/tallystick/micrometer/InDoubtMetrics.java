package io.tallystick.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.narayana.logs.record.RecordState;
import io.tallystick.store.ObjectStore;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The transactions in doubt of a log as Micrometer metrics.
 *
 * <pre>{@code
 * NarayanaStores stores = ...;
 * InDoubtMetrics metrics = new InDoubtMetrics(stores.store(), stores.inDoubt()::look);
 * metrics.bindTo(registry);
 * }</pre>
 *
 * <p>The meters have the tags of {@link StoreMetrics}. A scrape sees one look, and a look reads at most 1,000 records.
 * Values are NaN while the log cannot be listed. The registry holds the store weakly: meters of a store that nothing
 * else holds have no value any more. May be used by any number of threads.
 */
public final class InDoubtMetrics implements MeterBinder, AutoCloseable {
    private static final String TRANSACTIONS = "transactions";
    // The others are no transaction's.
    private static final Set<RecordState> STATES =
            EnumSet.complementOf(EnumSet.of(RecordState.BOOKKEEPING, RecordState.OTHER));

    private final ObjectStore store;
    private final Tags tags;
    private final CachedValue<ObjectStore, Optional<InDoubtReport>> report;
    private final List<Meters<ObjectStore>> bound = new CopyOnWriteArrayList<>();

    /**
     * Metrics of this log.
     *
     * @param look asks what is in doubt; empty if the log cannot be listed. It must not hold the store
     */
    public InDoubtMetrics(ObjectStore store, Supplier<Optional<InDoubtReport>> look) {
        this(store, look, System::nanoTime);
    }

    InDoubtMetrics(ObjectStore store, Supplier<Optional<InDoubtReport>> look, LongSupplier nanoTime) {
        this.store = store;
        this.tags = StoreMetrics.tagsOf(store);
        this.report = new CachedValue<>(log -> look.get(), nanoTime);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        // The functions must not hold this object: it holds the store.
        CachedValue<ObjectStore, Optional<InDoubtReport>> shared = report;
        for (RecordState state : STATES) {
            Meters<ObjectStore> ofState = new Meters<>(registry, store, tags.and("state", state.label()));
            ofState.gauge(
                    "tallystick.indoubt.transactions",
                    TRANSACTIONS,
                    "Transactions whose records stay in the log, by the state that the tool lists",
                    it -> shared.of(it)
                            .map(known -> (double) known.countByState().getOrDefault(state, 0))
                            .orElse(Double.NaN));
            bound.add(ofState);
        }
        Meters<ObjectStore> meters = new Meters<>(registry, store, tags);
        meters.gauge(
                        "tallystick.indoubt.unseen",
                        "records",
                        "Records that were not looked at, because there are so many",
                        it -> shared.of(it)
                                .map(known -> (double) known.unseen())
                                .orElse(Double.NaN))
                .time(
                        "tallystick.indoubt.oldest.age",
                        "The age of the oldest transaction in doubt",
                        it -> nanos(shared.of(it), InDoubtReport::oldestAge))
                .time(
                        "tallystick.transactions.oldest.age",
                        "Time since the oldest open transaction was first seen, also one without a time limit",
                        it -> nanos(
                                shared.of(it), known -> known.oldestOpen().map(InDoubtReport.OpenTransaction::age)));
        bound.add(meters);
    }

    // No transaction is an age of 0, so that an alert ends.
    private static double nanos(Optional<InDoubtReport> report, Function<InDoubtReport, Optional<Duration>> age) {
        return report.map(
                        known -> (double) age.apply(known).orElse(Duration.ZERO).toNanos())
                .orElse(Double.NaN);
    }

    /** Takes the meters out of every registry that they were bound to; a second call does nothing. */
    @Override
    public void close() {
        bound.forEach(Meters::remove);
        bound.clear();
    }
}
