package io.tallystick.benchmarks.report;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.Metric;
import java.util.List;
import java.util.Optional;

/**
 * The figures of 2011, of the first comparison of transaction logs: empty transactions per second on the disk of that
 * time. A disk is slowed down until the file store reaches its figure of 2011. Then the comparison is fair, except for
 * the processor.
 */
public final class Year2011 {
    /** The number of threads at which the file store is compared with its figure of 2011. */
    public static final int THREADS = 100;

    /** Transactions per second of 2011 with a sync per transaction. */
    public static final double FILE_RATE = 1_650;

    /** Write operations a second of the first trial: two for each durable write. */
    public static final int FIRST_RATE = 3_300;

    /** Stores to measure. */
    public static final List<String> STORES = List.of(
            "inmemory",
            "file",
            "journal-segmented-auto",
            "journal-artemis-auto",
            "narayana-file",
            "narayana-slots",
            "narayana-journal-nio",
            "narayana-journal-nio-tuned",
            "narayana-journal-aio-tuned");

    /** The numbers of threads that have figures of 2011. */
    public static final List<Integer> THREAD_COUNTS = List.of(100, 400);

    private static final List<Figure2011> FIGURES = List.of(
            new Figure2011("in memory", 53_843, 400, List.of("inmemory")),
            new Figure2011("a sync per transaction", FILE_RATE, THREADS, List.of("file", "narayana-file")),
            new Figure2011("journal", 20_306, 400, List.of("journal-segmented-auto", "narayana-journal-nio-tuned")),
            new Figure2011(
                    "journal, AIO", 36_491, 400, List.of("journal-segmented-auto", "narayana-journal-aio-tuned")));

    private Year2011() {}

    private record Figure2011(String what, double rate, int threads, List<String> stores) {}

    /** The figures of 2011 and of this run; empty if the disk was not slowed down to that speed. */
    public static Optional<Table> table(Results results) {
        if (!results.machine().facts().containsKey(Machine.CALIBRATED)) {
            return Optional.empty();
        }
        Table table = new Table("2011")
                .column("threads", 1)
                .column("tx/s then", 0)
                .column("now", 0)
                .column("tx/s now", 0)
                .column("times", 0)
                .column("syncs/s", 2);
        for (Figure2011 then : FIGURES) {
            for (String store : then.stores()) {
                results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, then.threads()))
                        .ifPresent(now -> table.row(List.of(
                                then.what(),
                                String.valueOf(then.threads()),
                                Text.whole(then.rate()),
                                store,
                                Text.whole(now.median()),
                                Text.times(now.median() / then.rate()),
                                now.metric(Metric.FORCES)
                                        .map(forces -> Text.whole(forces * now.median()))
                                        .orElse(Text.NOTHING))));
            }
        }
        return table.isEmpty() ? Optional.empty() : Optional.of(table);
    }
}
