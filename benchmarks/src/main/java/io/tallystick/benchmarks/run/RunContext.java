package io.tallystick.benchmarks.run;

/**
 * The parts of a run that every step of it shares.
 *
 * @param directory of the stores and of everything that is deleted at the end
 * @param progress shows the steps
 * @param interruption ends the run early
 */
public record RunContext(RunDirectory directory, Progress progress, Interruption interruption) {
    public RunContext(RunDirectory directory, Progress progress) {
        this(directory, progress, new Interruption(directory, progress));
    }
}
