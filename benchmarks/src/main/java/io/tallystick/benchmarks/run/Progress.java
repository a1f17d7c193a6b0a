package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.Text;
import io.tallystick.storage.NanoClock;
import java.time.Duration;
import java.util.Locale;

/**
 * The progress of a run: finished steps, the present step, and the time that is left. A terminal shows one line that
 * is redrawn; any other stream gets a line for each finished step.
 */
public final class Progress {
    private static final int BAR_COLUMNS = 20;
    /** In the first time of this length the estimate follows the plan more than the finished steps. */
    private static final Duration TRUST_IN_PLAN = Duration.ofSeconds(20);

    private static final String ERASE_LINE = "\r\033[K";

    private final Terminal terminal;
    private final NanoClock clock;
    private int steps;
    private Duration planned = Duration.ZERO;

    private int finished;
    private Duration finishedPlanned = Duration.ZERO;
    private Duration finishedActual = Duration.ZERO;
    private String step = "";
    private Duration stepPlanned = Duration.ZERO;
    private long stepBegun;
    private String last = "";
    private boolean over = true;

    public Progress(Terminal terminal, NanoClock clock) {
        this.terminal = terminal;
        this.clock = clock;
    }

    /** Begins to count. Steps before this call, such as those of a calibration, do not count. */
    public synchronized void start(int stepCount, Duration estimate) {
        steps = stepCount;
        planned = estimate;
        finished = 0;
        finishedPlanned = Duration.ZERO;
        finishedActual = Duration.ZERO;
        over = false;
    }

    /** Further steps after those that were planned. */
    synchronized void more(int stepCount, Duration estimate) {
        steps += stepCount;
        planned = planned.plus(estimate);
    }

    synchronized void begin(String label, Duration estimate) {
        step = label;
        stepPlanned = estimate;
        stepBegun = clock.nanoTime();
        redraw();
    }

    synchronized void end(String outcome) {
        finish(outcome);
    }

    synchronized void fail(String reason) {
        finish("failed: " + reason);
    }

    /** Draws the line anew, with the time that is left now. */
    synchronized void redraw() {
        if (terminal.isTerminal() && !over && finished < steps) {
            terminal.stream().print(ERASE_LINE + line());
            terminal.stream().flush();
        }
    }

    /** Removes the line. */
    public synchronized void close() {
        if (terminal.isTerminal() && !over) {
            terminal.stream().print(ERASE_LINE);
            terminal.stream().flush();
        }
        over = true;
    }

    /** The run was interrupted. */
    synchronized void abandon() {
        if (!over) {
            close();
            terminal.line("stopped after " + finished + " of " + steps + " steps");
        }
    }

    /** The time that is left by the plan, times the ratio of the real to the planned time so far. */
    synchronized Duration left() {
        Duration rest = planned.minus(finishedPlanned);
        double pace = (double) finishedActual.plus(TRUST_IN_PLAN).toMillis()
                / finishedPlanned.plus(TRUST_IN_PLAN).toMillis();
        Duration elapsed = step.isEmpty() ? Duration.ZERO : Duration.ofNanos(clock.nanoTime() - stepBegun);
        Duration inStep = elapsed.compareTo(stepPlanned) > 0 ? stepPlanned : elapsed;
        long millis = Math.round(rest.minus(inStep).toMillis() * pace);
        return Duration.ofMillis(Math.max(0, millis));
    }

    private void finish(String outcome) {
        finished++;
        finishedPlanned = finishedPlanned.plus(stepPlanned);
        finishedActual = finishedActual.plusNanos(clock.nanoTime() - stepBegun);
        last = step + ": " + outcome;
        String done = step;
        step = "";
        if (terminal.isTerminal()) {
            redraw();
        } else if (!over) {
            terminal.line(String.format(
                    Locale.ROOT, "%4d/%d  %-46s %14s   %s left", finished, steps, done, outcome, Text.clock(left())));
        }
    }

    /** The last result is left out if there is no room for it. */
    private String line() {
        int filled = steps == 0 ? 0 : BAR_COLUMNS * finished / steps;
        String bar = "[" + "#".repeat(filled) + ".".repeat(BAR_COLUMNS - filled) + "]";
        String line = String.format(
                        Locale.ROOT, "%s %d/%d  %s left  %s", bar, finished, steps, Text.clock(left()), step)
                .stripTrailing();
        String found = last.isEmpty() ? "" : "   (" + last + ")";
        int columns = terminal.columns() - 1;
        if (line.length() + found.length() <= columns) {
            return line + terminal.dim(found);
        }
        return line.length() <= columns ? line : line.substring(0, columns);
    }
}
