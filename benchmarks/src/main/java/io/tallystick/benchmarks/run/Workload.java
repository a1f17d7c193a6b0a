package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.subject.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The requested measurements of a run.
 *
 * @param size bounds the time of the run
 * @param subjects the stores, whether they work on this machine or not
 * @param threads numbers of threads that commit
 * @param protocols kinds of commit
 * @param extras further measurements
 * @param addedMillis added to each round trip to a database, milliseconds; each is measured, after none
 */
record Workload(
        RunSize size,
        List<Subject> subjects,
        List<Integer> threads,
        Protocols protocols,
        Set<Extra> extras,
        List<Integer> addedMillis) {
    private static final List<Integer> STATEMENT_BYTES = List.of(800, 80_000);
    private static final List<Integer> STATEMENT_CLIENTS = List.of(1, 2);

    /** Measurements that take longer, and are made on request only. */
    enum Extra {
        /** Transactions with work in two databases. */
        WORK,
        /** Opening after a halt. */
        RECOVERY,
        /** Stores whose log is in a PostgreSQL database. */
        POSTGRESQL;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Kinds of commit.
     *
     * @param measured in this order
     * @param areNamed whether the request named them. Then each store is measured with each of them, even with a kind
     *     of commit that never touches the store
     */
    record Protocols(List<Protocol> measured, boolean areNamed) {}

    /** Every combination, stores innermost, with the stores that work here. */
    List<Cell.Transactions> cells(List<Subject> available) {
        return protocols.measured().stream()
                .flatMap(protocol -> threads.stream().flatMap(count -> available.stream()
                        .filter(subject -> !subject.isInDatabase()
                                && isWanted(protocol, subject)
                                && size.isWanted(subject.name(), count, threads))
                        .map(subject -> new Cell.Transactions(subject.name(), protocol, count))))
                .toList();
    }

    /** The extras, with one variant of each store, and without the rows that compare reapers. */
    List<Cell> extraCells(List<Subject> available) {
        List<Subject> chosen = available.stream()
                .filter(subject -> subject.isForItsStore() && !subject.isInDatabase())
                .filter(subject -> size != RunSize.FULL || RunSize.ONE_OF_EACH.contains(subject.name()))
                .toList();
        List<Cell> cells = new ArrayList<>();
        if (extras.contains(Extra.WORK)) {
            threads.forEach(count -> chosen.forEach(subject -> cells.add(new Cell.Work(subject.name(), count))));
        }
        if (extras.contains(Extra.RECOVERY)) {
            chosen.stream().filter(Subject::isDurable).forEach(subject -> cells.add(new Cell.Recovery(subject.name())));
        }
        return cells;
    }

    /**
     * The stores in a database: first the statement alone on the same servers, then all stores with each number of
     * threads, then the same with longer round trips, then takeovers.
     *
     * @param hasPgbench whether the load generator is installed
     */
    List<Cell> databaseCells(List<Subject> available, boolean hasPgbench) {
        List<Subject> databases =
                available.stream().filter(Subject::isInDatabase).toList();
        List<Cell> cells = new ArrayList<>();
        if (hasPgbench) {
            databases.stream()
                    .filter(Subject::isOurs)
                    .forEach(subject -> STATEMENT_BYTES.forEach(bytes -> STATEMENT_CLIENTS.forEach(
                            clients -> cells.add(new Cell.Statements(subject.name(), bytes, clients)))));
        }
        List<Integer> delays = new ArrayList<>(List.of(0));
        delays.addAll(addedMillis);
        for (int millis : delays) {
            threads.forEach(count ->
                    databases.forEach(subject -> cells.add(new Cell.InDatabase(subject.name(), count, millis))));
        }
        databases.forEach(subject -> cells.add(new Cell.Takeover(subject.name())));
        return cells;
    }

    private boolean isWanted(Protocol protocol, Subject subject) {
        if (protocols.areNamed()) {
            return true;
        }
        return protocol == Protocol.TWO_PHASE
                ? subject.isForItsStore()
                : size.onePhaseStores().contains(subject.name());
    }
}
