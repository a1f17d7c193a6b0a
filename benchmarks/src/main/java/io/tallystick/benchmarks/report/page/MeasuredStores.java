package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.report.Limits;
import io.tallystick.benchmarks.report.Report;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.chart.BarChart;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The stores of a run and their figures, in the form that charts need. */
final class MeasuredStores {
    private final Results results;
    private final Limits limits;

    MeasuredStores(Results results) {
        this.results = results;
        this.limits = new Limits(results);
    }

    Results results() {
        return results;
    }

    Limits limits() {
        return limits;
    }

    List<String> all(Protocol protocol) {
        return results.measurements().keySet().stream()
                .filter(cell -> cell instanceof Cell.Transactions transactions && transactions.protocol() == protocol)
                .map(cell -> ((Cell.Transactions) cell).store())
                .distinct()
                .sorted(Comparator.comparingInt(Report::catalogueOrder))
                .toList();
    }

    List<Integer> threadCounts(Protocol protocol) {
        return results.measurements().keySet().stream()
                .filter(cell -> cell instanceof Cell.Transactions transactions && transactions.protocol() == protocol)
                .map(Cell::threads)
                .sorted()
                .distinct()
                .toList();
    }

    List<Optional<Double>> values(String store, Protocol protocol, Figure figure) {
        return threadCounts(protocol).stream()
                .map(count -> new Cell.Transactions(store, protocol, count))
                .map(cell -> results.of(cell).flatMap(found -> figure.of(cell, found)))
                .toList();
    }

    BarChart bars(Protocol protocol, Function<Double, String> format) {
        return new BarChart(
                PageBody.WIDTH,
                threadCounts(protocol).stream()
                        .map(count -> Text.counted(count, "thread"))
                        .toList(),
                format);
    }

    List<String> featured(Protocol protocol) {
        return featured(all(protocol), results);
    }

    /** A figure of one cell, where there is one. */
    @FunctionalInterface
    interface Figure {
        Optional<Double> of(Cell.Transactions cell, Measurement found);
    }

    /**
     * The stores that a chart has room for, in the order of the catalogue. Of an engine with several ways to the disk,
     * the chart shows the way that it chooses by itself. Without that way it shows the fastest one with the most
     * threads.
     */
    static List<String> featured(List<String> stores, Results results) {
        List<String> featured = new ArrayList<>(stores);
        for (String engine : List.of("segmented", "artemis")) {
            List<String> variants = stores.stream()
                    .filter(store -> store.startsWith("journal-" + engine + "-"))
                    .toList();
            Optional<String> shown = variants.stream()
                    .filter(SubjectCatalog::choosesByItself)
                    .findFirst()
                    .or(() -> fastest(variants, results));
            featured.removeIf(store -> variants.contains(store) && !store.equals(shown.orElse(null)));
        }
        if (featured.contains("inmemory")) {
            featured.remove("narayana-volatile");
        }
        if (featured.contains("narayana-journal-nio")) {
            featured.remove("narayana-journal-aio");
        }
        return featured;
    }

    private static Optional<String> fastest(List<String> stores, Results results) {
        int most = results.measurements().keySet().stream()
                .filter(cell -> cell instanceof Cell.Transactions transactions && stores.contains(transactions.store()))
                .mapToInt(Cell::threads)
                .max()
                .orElse(0);
        return stores.stream()
                .max((one, other) -> Double.compare(rate(one, most, results), rate(other, most, results)));
    }

    private static double rate(String store, int threads, Results results) {
        return results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, threads))
                .map(Measurement::median)
                .orElse(0.0);
    }

    static boolean isDurable(String store) {
        return subject(store).filter(Subject::isDurable).isPresent();
    }

    static Optional<Subject> subject(String store) {
        return Stream.concat(SubjectCatalog.all().stream(), SubjectCatalog.databases().stream())
                .filter(subject -> subject.name().equals(store))
                .findFirst();
    }
}
