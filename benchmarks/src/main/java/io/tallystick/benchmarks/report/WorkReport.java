package io.tallystick.benchmarks.report;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The figures of transactions with work, and whether empty transactions predict them. */
public final class WorkReport {
    private static final int LEAST_STORES = 3;

    private final Results results;

    public WorkReport(Results results) {
        this.results = results;
    }

    /** Numbers of threads with work, ascending. */
    public List<Integer> threadCounts() {
        return results.measurements().keySet().stream()
                .filter(Cell.Work.class::isInstance)
                .map(Cell::threads)
                .sorted()
                .distinct()
                .toList();
    }

    /** Stores with work, in the order of the catalogue. */
    public List<String> stores() {
        return results.measurements().keySet().stream()
                .filter(Cell.Work.class::isInstance)
                .map(cell -> ((Cell.Work) cell).store())
                .distinct()
                .sorted(Comparator.comparingInt(Report::catalogueOrder))
                .toList();
    }

    /** Stores that were recovered, in the order of the catalogue. */
    public List<String> recovered() {
        return results.measurements().keySet().stream()
                .filter(Cell.Recovery.class::isInstance)
                .map(cell -> ((Cell.Recovery) cell).store())
                .distinct()
                .sorted(Comparator.comparingInt(Report::catalogueOrder))
                .toList();
    }

    public Optional<Double> rate(String store, int threads) {
        return results.of(new Cell.Work(store, threads)).map(Measurement::median);
    }

    /** As a share of the in-memory store: 1 if the store costs nothing. */
    public Optional<Double> shareOfMemory(String store, int threads) {
        return rate("inmemory", threads).flatMap(memory -> rate(store, threads).map(rate -> rate / memory));
    }

    /** Transactions with work per second; empty where none were measured. */
    Optional<Table> table() {
        List<Integer> counts = threadCounts();
        if (counts.isEmpty()) {
            return Optional.empty();
        }
        Table table = new Table("store");
        counts.forEach(count -> table.column(Text.counted(count, "thread"), 1));
        for (String store : stores()) {
            List<String> row = new ArrayList<>();
            row.add(store);
            counts.forEach(count -> row.add(results.of(new Cell.Work(store, count))
                    .map(found -> Text.whole(found.median()) + " (" + Text.whole(found.lowest()) + " .. "
                            + Text.whole(found.highest()) + ")")
                    .orElse(Text.NOTHING)));
            table.row(row);
        }
        return Optional.of(table);
    }

    /** The correlation of the figures with work and without, a line for each number of threads. */
    public List<String> correlations() {
        List<String> lines = new ArrayList<>();
        for (int count : threadCounts()) {
            List<Double> empty = new ArrayList<>();
            List<Double> work = new ArrayList<>();
            for (String store : stores()) {
                Optional<Measurement> alone = results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, count));
                Optional<Double> rate = rate(store, count);
                if (alone.isPresent() && rate.isPresent()) {
                    empty.add(alone.get().median());
                    work.add(rate.get());
                }
            }
            if (empty.size() >= LEAST_STORES) {
                lines.add(Text.counted(count, "thread") + ": rank correlation (Spearman) "
                        + Text.three(RankCorrelation.spearman(empty, work)) + " over " + empty.size() + " stores");
            }
        }
        return lines;
    }

    /** The time until the records of a halted process are read; empty where it was not measured. */
    public Optional<Table> recoveryTable() {
        if (recovered().isEmpty()) {
            return Optional.empty();
        }
        Table table = new Table("store").column("median", 0).column("min .. max", 1);
        for (String store : recovered()) {
            results.of(new Cell.Recovery(store))
                    .ifPresent(found -> table.row(List.of(
                            store,
                            Text.micros(found.median() * 1_000),
                            Text.micros(found.lowest() * 1_000) + " .. " + Text.micros(found.highest() * 1_000))));
        }
        return Optional.of(table);
    }
}
