package io.tallystick.benchmarks.report;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The references of a figure, all measured in the same run: the fastest durable peer, the in-memory store, and the
 * model. The model is {@code limit = min(N / (L + Z), C / Z)} transactions a second, for N threads and C cores. L is
 * the time of one durable write, and Z the CPU time of a commit in memory. Example: N = 1, L = 125 us, Z = 6 us and C
 * = 2 give 7,634 a second.
 */
public final class Limits {
    private static final double MICROS_PER_SECOND = 1e6;
    private static final List<String> IN_MEMORY = List.of("inmemory", "narayana-volatile");

    private final Results results;

    public Limits(Results results) {
        this.results = results;
    }

    /** The in-memory store, which no durable store can beat; ours, or the peer's where ours was not measured. */
    public Optional<Cell.Transactions> inMemory(Protocol protocol, int threads) {
        return IN_MEMORY.stream()
                .map(store -> new Cell.Transactions(store, protocol, threads))
                .filter(cell -> results.of(cell).isPresent())
                .findFirst();
    }

    /** The fastest peer that survives a crash. */
    public Optional<Cell.Transactions> bestDurablePeer(Protocol protocol, int threads) {
        return SubjectCatalog.all().stream()
                .filter(subject -> subject.isDurable() && !subject.isOurs())
                .map(subject -> new Cell.Transactions(subject.name(), protocol, threads))
                .filter(cell -> results.of(cell).isPresent())
                .max(Comparator.comparingDouble(this::medianOf));
    }

    /** Whether ratios are made of these figures: a figure in doubt makes none, so it makes no headline. */
    public boolean isComparable(Cell cell) {
        return results.of(cell).filter(found -> found.doubt().isEmpty()).isPresent();
    }

    /** Durable writes a second that the disk does for one writer, by the faster kind of write. */
    public Optional<Double> durableWritesPerSecond() {
        return results.measurements().entrySet().stream()
                .filter(entry -> entry.getKey() instanceof Cell.DiskWrites disk && disk.threads() == 1)
                .map(entry -> entry.getValue().median())
                .max(Comparator.naturalOrder());
    }

    /**
     * The one unit that holds on every disk: commits of a store for each durable write that the disk does alone. Empty
     * where either was not measured, or is in doubt.
     */
    public Optional<Double> commitsPerDurableWrite(Cell.Transactions cell) {
        if (!isComparable(cell)) {
            return Optional.empty();
        }
        return durableWritesPerSecond()
                .map(writes -> results.of(cell).orElseThrow().median() / writes);
    }

    /** L: the median time of a durable write with one writer, by the faster kind of write; microseconds. */
    Optional<Double> durableWriteMicros() {
        return results.measurements().entrySet().stream()
                .filter(entry -> entry.getKey() instanceof Cell.DiskWrites disk && disk.threads() == 1)
                .flatMap(entry -> entry.getValue().metric(Metric.P50).stream())
                .min(Comparator.naturalOrder());
    }

    /** Z: CPU time of a commit in memory with as many threads; microseconds. */
    Optional<Double> inMemoryCpuMicros(int threads) {
        return inMemory(Protocol.TWO_PHASE, threads)
                .flatMap(results::of)
                .flatMap(measurement -> measurement.metric(Metric.CPU));
    }

    /** The model's limit for durable two-phase commits, transactions per second. */
    public Optional<Double> model(int threads) {
        Optional<Double> write = durableWriteMicros();
        Optional<Double> cpu = inMemoryCpuMicros(threads);
        if (write.isEmpty() || cpu.isEmpty()) {
            return Optional.empty();
        }
        double byDisk = threads * MICROS_PER_SECOND / (write.get() + cpu.get());
        double byCores = results.machine().cores() * MICROS_PER_SECOND / cpu.get();
        return Optional.of(Math.min(byDisk, byCores));
    }

    private double medianOf(Cell.Transactions cell) {
        return results.of(cell).orElseThrow().median();
    }
}
