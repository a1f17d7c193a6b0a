package io.tallystick.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What was asked for, checked.
 *
 * @param size how long it may take
 * @param subjects which stores, whether they work here or not
 * @param threads how many callers
 * @param protocols which commits
 * @param areProtocolsNamed whether every store is measured with these protocols, also where that says nothing of it
 * @param directory where the stores go
 * @param results where the figures go
 * @param earlier a run to compare with
 * @param jvmArguments further arguments of the measured JVMs
 * @param command the command line, to print beside the figures
 * @param arguments of the command line
 * @param resumed the run to go on with
 * @param extras what is measured beside empty transactions
 * @param slowDisk if the stores are to be on a disk that is slowed down
 */
record Order(
        RunSize size,
        List<Subject> subjects,
        List<Integer> threads,
        List<Protocol> protocols,
        boolean areProtocolsNamed,
        Path directory,
        Path results,
        Optional<Results> earlier,
        List<String> jvmArguments,
        String command,
        List<String> arguments,
        Optional<Resumed> resumed,
        Set<Extra> extras,
        Optional<SlowDisk> slowDisk) {
    /** What takes longer, and is measured only when asked for. */
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
     * A disk that is slowed down.
     *
     * @param throttle sets its rate
     * @param writesPerSecond its rate; where it is to be found out, the one to begin with
     * @param as2011 whether it is to be slowed down until the file store does what it did in 2011
     */
    record SlowDisk(Throttle throttle, int writesPerSecond, boolean as2011) {}

    /**
     * A run that did not come to its end.
     *
     * @param file where its results are, and where they go again
     * @param results what it has found
     */
    record Resumed(Path file, Results results) {}

    /** Every combination, stores innermost, with the stores that work here. */
    List<Cell.Transactions> cells(List<Subject> available) {
        return protocols.stream()
                .flatMap(protocol -> threads.stream().flatMap(count -> available.stream()
                        .filter(subject -> isWanted(protocol, subject))
                        .map(subject -> new Cell.Transactions(subject.name(), protocol, count))))
                .toList();
    }

    /** What is measured beside, of the stores of which one variant is enough, and which are here for themselves. */
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
        return areProtocolsNamed
                || (protocol == Protocol.TWO_PHASE
                        ? subject.isForItsStore()
                        : size.onePhaseStores().contains(subject.name()));
    }
}
