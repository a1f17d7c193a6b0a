package io.tallystick.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

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
        Optional<SlowDisk> slowDisk) {
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

    private boolean isWanted(Protocol protocol, Subject subject) {
        return areProtocolsNamed
                || (protocol == Protocol.TWO_PHASE
                        ? subject.isForItsStore()
                        : size.onePhaseStores().contains(subject.name()));
    }
}
