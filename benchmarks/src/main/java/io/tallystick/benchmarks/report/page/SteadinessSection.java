package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.report.Limits;
import io.tallystick.benchmarks.report.Machines;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.Table;
import io.tallystick.benchmarks.report.chart.DistributionChart;
import io.tallystick.benchmarks.report.chart.StoreLook;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The share of the measured time with at least a rate, and the machines that a rate takes. */
final class SteadinessSection implements Section {
    /** The worst hundredth of the slices. */
    private static final double WORST_SHARE = 0.01;
    /** The preferred number of threads for the table of machines. */
    private static final int PREFERRED_THREADS = 100;

    private final Results results;
    private final MeasuredStores stores;
    private final Limits limits;

    SteadinessSection(MeasuredStores stores) {
        this.results = stores.results();
        this.stores = stores;
        this.limits = stores.limits();
    }

    @Override
    public void writeTo(PageBody page) {
        List<String> durable = stores.featured(Protocol.TWO_PHASE).stream()
                .filter(MeasuredStores::isDurable)
                .toList();
        List<String> charts = new ArrayList<>();
        for (int count : stores.threadCounts(Protocol.TWO_PHASE)) {
            DistributionChart chart = new DistributionChart(Text.counted(count, "thread"));
            for (String store : durable) {
                results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, count))
                        .filter(found -> found.rates().size() > 1)
                        .ifPresent(found -> chart.curve(StoreLook.of(store), found.rates()));
            }
            if (!chart.isEmpty()) {
                charts.add(chart.svg());
            }
        }
        if (charts.isEmpty()) {
            return;
        }
        page.heading("How steady a store is");
        boolean sliced = results.measurements().values().stream()
                .anyMatch(found -> !found.slices().isEmpty());
        page.paragraph("An average hides the slow moments. Each curve shows in which share of all "
                + (sliced ? "tenths of a second" : "iterations")
                + " a store did so many transactions per second, or better. A steep curve is a steady store.");
        page.pairs(charts);
        machines(page, durable);
    }

    private void machines(PageBody page, List<String> durable) {
        List<Integer> counts = stores.threadCounts(Protocol.TWO_PHASE);
        int threads = counts.contains(PREFERRED_THREADS) ? PREFERRED_THREADS : counts.get(counts.size() - 1);
        Optional<Measurement> reference = limits.bestDurablePeer(Protocol.TWO_PHASE, threads)
                .flatMap(results::of)
                .or(() -> durable.stream()
                        .flatMap(
                                store -> results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, threads)).stream())
                        .findFirst());
        if (reference.isEmpty()) {
            return;
        }
        double target = Machines.targetFor(reference.get().median());
        Table table = new Table("store")
                .column("median tx/s", 0)
                .column("99 % of the time at least", 0)
                .column("best", 0)
                .column("machines at their best", 0)
                .column("machines, 99 % certain", 0);
        for (String store : durable) {
            results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, threads))
                    .ifPresent(found -> {
                        Machines machines = new Machines(found.rates());
                        table.row(List.of(
                                store,
                                Text.whole(found.median()),
                                Text.whole(quantile(found.rates(), WORST_SHARE)),
                                Text.whole(found.rates().get(found.rates().size() - 1)),
                                Text.whole(machines.atBest(target)),
                                Text.whole(machines.surely(target))));
                    });
        }
        page.leaf(
                "h3",
                "Machines like this one for " + Text.whole(target) + " commits per second, "
                        + Text.counted(threads, "thread") + " each");
        page.paragraph(
                "A data sheet would have every machine at its best. The last column reaches the rate in 99 % of the"
                        + " moments, if each machine is at any moment in one of the measured slices, independent of"
                        + " the others.");
        page.table(table, "");
    }

    static double quantile(List<Double> ascending, double share) {
        return ascending.get((int) Math.floor(share * (ascending.size() - 1)));
    }
}
