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
 */
record Workload(RunSize size, List<Subject> subjects, List<Integer> threads, Protocols protocols, Set<Extra> extras) {
    /** Measurements that take longer, and are made on request only. */
    enum Extra {
        /** Transactions with work in two databases. */
        WORK,
        /** Opening after a halt. */
        RECOVERY;

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
                        .filter(subject -> isWanted(protocol, subject))
                        .map(subject -> new Cell.Transactions(subject.name(), protocol, count))))
                .toList();
    }

    /** The extras, with one variant of each store, and without the rows that compare reapers. */
    List<Cell> extraCells(List<Subject> available) {
        List<Subject> chosen = available.stream()
                .filter(Subject::isForItsStore)
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

    private boolean isWanted(Protocol protocol, Subject subject) {
        if (protocols.areNamed()) {
            return true;
        }
        return protocol == Protocol.TWO_PHASE
                ? subject.isForItsStore()
                : size.onePhaseStores().contains(subject.name());
    }
}
