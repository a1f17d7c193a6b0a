package io.tallystick.durability;

import java.io.PrintStream;
import java.time.Duration;

/** What a run tells while it runs: a line now and then, and each violation at once. */
final class StageLog {
    private final PrintStream out;

    StageLog(PrintStream out) {
        this.out = out;
    }

    void skipped(Subject subject, String reason) {
        out.println("skipped " + subject.name() + ": " + reason);
    }

    void progress(Subject subject, long done, long count, String unit, long violations, Duration left) {
        out.println(subject.name() + "  " + done + "/" + count + " " + unit + "  violations=" + violations + "  "
                + shown(left) + " left");
    }

    void violation(Violation violation, String file) {
        out.println(
                "VIOLATION " + violation.subject().name() + " seed=" + violation.seed() + ": " + violation.summary());
        out.println("  repeat: " + violation.command() + (file.isEmpty() ? "" : "  (all of it: " + file + ")"));
    }

    void line(String text) {
        out.println(text);
    }

    private static String shown(Duration left) {
        long minutes = left.toMinutes();
        return minutes < 1 ? left.toSeconds() + " s" : minutes < 120 ? minutes + " min" : left.toHours() + " h";
    }
}
