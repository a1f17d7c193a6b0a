package io.tallystick.benchmarks;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What figures are held against, all measured in the same run: the fastest durable peer, the in-memory store, and the
 * model. The model says that a transaction costs one durable write and the work of a transaction without one: with N
 * threads at most N/(L+Z) a second, L being the time of one durable write and Z the CPU time of a commit in memory, and
 * never more than the cores can do, C/Z.
 */
final class Limits {
    private static final double MICROS_PER_SECOND = 1e6;
    private static final List<String> IN_MEMORY = List.of("inmemory", "narayana-volatile");

    private final Results results;

    Limits(Results results) {
        this.results = results;
    }

    /** The store that nothing durable can beat; ours, or the peer's where ours was not measured. */
    Optional<Cell.Transactions> inMemory(Protocol protocol, int threads) {
        return IN_MEMORY.stream()
                .map(store -> new Cell.Transactions(store, protocol, threads))
                .filter(cell -> results.of(cell).isPresent())
                .findFirst();
    }

    /** The fastest store of somebody else that survives a crash. */
    Optional<Cell.Transactions> bestDurablePeer(Protocol protocol, int threads) {
        return SubjectCatalog.all().stream()
                .filter(subject -> subject.isDurable() && !subject.isOurs())
                .map(subject -> new Cell.Transactions(subject.name(), protocol, threads))
                .filter(cell -> results.of(cell).isPresent())
                .max(Comparator.comparingDouble(this::medianOf));
    }

    /** L: what half of the durable writes take at most with one writer, by the faster kind of write; microseconds. */
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
    Optional<Double> model(int threads) {
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
