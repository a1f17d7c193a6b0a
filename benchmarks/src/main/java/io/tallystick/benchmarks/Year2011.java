package io.tallystick.benchmarks;

import java.util.List;
import java.util.Optional;

/**
 * The figures of 2011 with which the comparison of transaction logs began: transactions per second of an empty transaction
 * on the disk of that time. On a disk that is slowed down until the file store does what it did then, they can be met on
 * equal terms, but for the processor.
 */
final class Year2011 {
    /** Threads at which the file store is held against its figure of 2011. */
    static final int THREADS = 100;

    /** What a sync per transaction did, transactions per second. */
    static final double FILE_RATE = 1_650;

    /** Write operations a second to begin with: two for each durable write. */
    static final int FIRST_RATE = 3_300;

    /** Stores to measure. */
    static final List<String> STORES = List.of(
            "inmemory",
            "file",
            "journal-segmented-auto",
            "journal-artemis-auto",
            "narayana-file",
            "narayana-slots",
            "narayana-journal-nio",
            "narayana-journal-nio-tuned",
            "narayana-journal-aio-tuned");

    /** Threads at which there are figures. */
    static final List<Integer> THREAD_COUNTS = List.of(100, 400);

    private static final List<Then> FIGURES = List.of(
            new Then("in memory", 53_843, 400, List.of("inmemory")),
            new Then("a sync per transaction", FILE_RATE, THREADS, List.of("file", "narayana-file")),
            new Then("journal", 20_306, 400, List.of("journal-segmented-auto", "narayana-journal-nio-tuned")),
            new Then("journal, AIO", 36_491, 400, List.of("journal-segmented-auto", "narayana-journal-aio-tuned")));

    private Year2011() {}

    private record Then(String what, double rate, int threads, List<String> stores) {}

    /** Then and now; empty where the disk was not slowed down to that speed. */
    static Optional<Table> table(Results results) {
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
        for (Then then : FIGURES) {
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
