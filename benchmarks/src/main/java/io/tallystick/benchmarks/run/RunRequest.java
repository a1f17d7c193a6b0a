package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.measure.Throttle;
import io.tallystick.benchmarks.report.Results;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The checked request of a command line.
 *
 * @param workload the measurements
 * @param places the directories of the run
 * @param commandLine the words of the request
 * @param earlierRuns the runs that this one continues or is compared with
 */
record RunRequest(Workload workload, Places places, CommandLine commandLine, EarlierRuns earlierRuns) {
    /**
     * The directories of a run.
     *
     * @param stores directory of the stores
     * @param results directory of the figures
     * @param slowDisk the disk below {@code stores}, if it is slowed down
     * @param baseline the file that receives the figures too, as the baseline of later runs
     */
    record Places(Path stores, Path results, Optional<SlowDisk> slowDisk, Optional<Path> baseline) {}

    /**
     * A disk that is slowed down.
     *
     * @param throttle sets its rate
     * @param writesPerSecond its rate; with {@code as2011} the rate of the first trial
     * @param as2011 whether the rate is lowered until the file store reaches its figure of 2011
     */
    record SlowDisk(Throttle throttle, int writesPerSecond, boolean as2011) {}

    /**
     * The words of a request.
     *
     * @param arguments of {@code ./bench}
     * @param jvmArguments further arguments of the measured JVMs
     */
    record CommandLine(List<String> arguments, List<String> jvmArguments) {
        /** The command as the reports print it. */
        String command() {
            return ("./bench " + String.join(" ", arguments)).trim();
        }
    }

    /**
     * The runs before this one.
     *
     * @param compared the run to compare with
     * @param resumed the run to continue
     * @param guarding the run with whose ratios this one is compared
     */
    record EarlierRuns(Optional<Results> compared, Optional<Resumed> resumed, Optional<Results> guarding) {}

    /**
     * A run that did not come to its end.
     *
     * @param file of its results, which receives the results of the continued run too
     * @param results its results so far
     */
    record Resumed(Path file, Results results) {}
}
