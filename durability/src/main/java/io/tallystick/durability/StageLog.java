package io.tallystick.durability;

import io.tallystick.durability.subject.Subject;
import java.io.PrintStream;
import java.time.Duration;

/** The printed progress of a run: a line at intervals, and each violation at once. */
public final class StageLog {
    private final PrintStream out;

    public StageLog(PrintStream out) {
        this.out = out;
    }

    public void skipped(Subject subject, String reason) {
        out.println("skipped " + subject.name() + ": " + reason);
    }

    public void progress(Subject subject, long done, long count, String unit, long violations, Duration left) {
        out.println(subject.name() + "  " + done + "/" + count + " " + unit + "  violations=" + violations + "  "
                + shown(left) + " left");
    }

    public void violation(Violation violation, String file) {
        out.println(
                "VIOLATION " + violation.subject().name() + " seed=" + violation.seed() + ": " + violation.summary());
        out.println("  repeat: " + violation.command() + (file.isEmpty() ? "" : "  (all of it: " + file + ")"));
    }

    public void line(String text) {
        out.println(text);
    }

    private static String shown(Duration left) {
        long minutes = left.toMinutes();
        return minutes < 1 ? left.toSeconds() + " s" : minutes < 120 ? minutes + " min" : left.toHours() + " h";
    }
}
