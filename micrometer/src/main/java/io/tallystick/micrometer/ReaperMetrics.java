package io.tallystick.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tallystick.reaper.ReaperStatistics;
import io.tallystick.reaper.TransactionReaper;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * A reaper as Micrometer metrics, at most a second old. The registry holds the reaper weakly: a reaper that nothing
 * else holds goes, and its meters have no value any more. May be used by any number of threads.
 */
public final class ReaperMetrics implements MeterBinder, AutoCloseable {
    private static final String TRANSACTIONS = "transactions";
    private static final String THREADS = "threads";

    private final TransactionReaper reaper;
    private final Tags tags;
    private final CachedValue<TransactionReaper, ReaperStatistics> statistics;
    private final List<Meters<TransactionReaper>> bound = new CopyOnWriteArrayList<>();

    /** Metrics of this reaper. */
    public ReaperMetrics(TransactionReaper reaper) {
        this(reaper, Tags.empty());
    }

    /** Metrics of this reaper, with these tags. */
    public ReaperMetrics(TransactionReaper reaper, Iterable<Tag> tags) {
        this(reaper, tags, System::nanoTime);
    }

    ReaperMetrics(TransactionReaper reaper, Iterable<Tag> tags, LongSupplier nanoTime) {
        this.reaper = reaper;
        this.tags = Tags.of(tags);
        this.statistics = new CachedValue<>(TransactionReaper::statistics, nanoTime);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Meters<TransactionReaper> meters = new Meters<>(registry, reaper, tags);
        // The functions must not hold this object: it holds the reaper.
        bindCounts(meters, statistics);
        bindLevels(meters, statistics);
        bound.add(meters);
    }

    /** Takes the meters out of every registry that they were bound to; a second call does nothing. */
    @Override
    public void close() {
        bound.forEach(Meters::remove);
        bound.clear();
    }

    private static void bindCounts(
            Meters<TransactionReaper> meters, CachedValue<TransactionReaper, ReaperStatistics> statistics) {
        meters.counter("tallystick.reaper.registered", TRANSACTIONS, "Transactions registered", it -> statistics
                        .of(it)
                        .registered())
                .counter(
                        "tallystick.reaper.expired",
                        TRANSACTIONS,
                        "Transactions whose cancellation was begun",
                        it -> statistics.of(it).expired())
                .counter(
                        "tallystick.reaper.failed",
                        TRANSACTIONS,
                        "Cancellations that were refused or threw",
                        it -> statistics.of(it).failed())
                .counter(
                        "tallystick.reaper.wedged",
                        THREADS,
                        "Number of cancellations that did not return in time",
                        it -> statistics.of(it).wedgedEver());
    }

    private static void bindLevels(
            Meters<TransactionReaper> meters, CachedValue<TransactionReaper, ReaperStatistics> statistics) {
        meters.gauge(
                        "tallystick.reaper.open",
                        TRANSACTIONS,
                        "Transactions that the reaper last found open",
                        it -> statistics.of(it).open())
                .gauge(
                        "tallystick.reaper.waiting",
                        TRANSACTIONS,
                        "Transactions that are due and wait for a worker",
                        it -> statistics.of(it).waiting())
                .gauge(
                        "tallystick.reaper.workers",
                        THREADS,
                        "Threads that cancel now, stuck ones among them",
                        it -> statistics.of(it).workers())
                .gauge(
                        "tallystick.reaper.workers.wedged",
                        THREADS,
                        "Threads whose cancellation has not returned in time",
                        it -> statistics.of(it).wedged())
                .gauge(
                        "tallystick.reaper.workers.exhausted",
                        null,
                        "1 while all workers are stuck and transactions wait, else 0",
                        it -> statistics.of(it).workersExhausted() ? 1 : 0)
                .time(
                        "tallystick.reaper.lateness.worst",
                        "The longest time from a deadline to the beginning of the cancellation",
                        it -> statistics.of(it).worstLateness().toNanos());
    }
}
