package io.tallystick.durability;

import io.tallystick.durability.subject.Subject;
import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * A promise that a store has broken.
 *
 * @param subject the store
 * @param seed of the case
 * @param command the command that repeats the case
 * @param problem the exception that the case threw
 */
public record Violation(Subject subject, long seed, String command, Throwable problem) {
    private static final int SUMMARY_CHARACTERS = 600;

    public String summary() {
        String text = problem instanceof AssertionError ? String.valueOf(problem.getMessage()) : problem.toString();
        return text.length() <= SUMMARY_CHARACTERS ? text : text.substring(0, SUMMARY_CHARACTERS) + " ...";
    }

    /** The content of a seed file. */
    public String report() {
        StringWriter trace = new StringWriter();
        problem.printStackTrace(new PrintWriter(trace));
        return "subject: " + subject.name() + "\nseed: " + seed + "\nrepeat: " + command + "\n\n" + trace;
    }
}
