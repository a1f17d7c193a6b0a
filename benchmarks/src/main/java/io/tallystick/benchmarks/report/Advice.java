package io.tallystick.benchmarks.report;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which of our durable stores to use with a number of threads, on the disk of a run: the file store where it is not
 * slower by more than a tenth, because its files are plain to look at, else the journal. Figures in doubt advise
 * nothing.
 *
 * @param lines for people, one for each number of threads
 */
public record Advice(List<String> lines) {
    private static final String FILE = "file";
    private static final double SLOWER = 0.9;

    public Advice {
        lines = List.copyOf(lines);
    }

    /** The advice of a run that has measured both stores. */
    public static Optional<Advice> of(Results results) {
        Limits limits = new Limits(results);
        List<String> lines = new ArrayList<>();
        results.measurements().keySet().stream()
                .filter(cell -> cell instanceof Cell.Transactions transactions
                        && transactions.protocol() == Protocol.TWO_PHASE
                        && transactions.store().equals(FILE))
                .map(Cell::threads)
                .distinct()
                .sorted()
                .forEach(threads -> {
                    Cell file = new Cell.Transactions(FILE, Protocol.TWO_PHASE, threads);
                    Cell journal = new Cell.Transactions(SubjectCatalog.DEFAULT, Protocol.TWO_PHASE, threads);
                    if (limits.isComparable(file) && limits.isComparable(journal)) {
                        lines.add(line(
                                threads,
                                results.of(file).orElseThrow(),
                                results.of(journal).orElseThrow()));
                    }
                });
        return lines.isEmpty() ? Optional.empty() : Optional.of(new Advice(lines));
    }

    private static String line(int threads, Measurement file, Measurement journal) {
        double times = journal.median() / file.median();
        return "With " + Text.counted(threads, "thread") + " use "
                + (times * SLOWER <= 1
                        ? "file or journal: the journal does " + Text.times(times) + " the commits of the file store."
                        : "journal: it does " + Text.times(times) + " the commits of the file store.");
    }
}
