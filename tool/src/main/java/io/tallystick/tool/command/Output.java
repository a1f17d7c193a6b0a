package io.tallystick.tool.command;

import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.WriterConfig;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * The output of a command, and the options of every command. Lines for people or one JSON object go to standard
 * output, progress and errors to standard error.
 */
public final class Output {
    /** The system property that is true if standard error is a terminal; the launcher sets it. */
    static final String ERR_TERMINAL_KEY = "io.tallystick.tool.stderr-terminal";

    /** The option that asks for one JSON object. */
    public static final String JSON = "--json";

    /** The option that asks for a stack trace. */
    public static final String STACKTRACE = "--stacktrace";

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(names = JSON, description = "answer with one JSON object on standard output")
    private boolean json;

    @Option(
            names = {"-q", "--quiet"},
            description = "print only the answer: no progress, no remarks")
    private boolean quiet;

    @Option(names = STACKTRACE, description = "with an error, print its stack trace")
    private boolean stacktrace;

    /** For picocli. */
    public Output() {}

    /** Whether one JSON object is the answer; {@link #line} must not be called then. */
    public boolean isJson() {
        return json;
    }

    /** Whether an error comes with its stack trace. */
    public boolean isStacktrace() {
        return stacktrace;
    }

    /** A line of the answer, for people; formatted with the root locale. Text from disk must come {@link Escaped}. */
    public void line(String format, Object... arguments) {
        out().println(arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments));
    }

    /** The answer, for programs. */
    public void json(JsonObject answer) {
        json(out(), answer);
    }

    /** As {@link #json(JsonObject)}, where no command has come to run. */
    public static void json(PrintWriter out, JsonObject answer) {
        out.println(Escaped.json(answer.toString(WriterConfig.MINIMAL)));
    }

    /** A line beside the answer, on standard error; left out with {@code --quiet}. */
    public void remark(String format, Object... arguments) {
        if (!quiet) {
            err().println(arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments));
        }
    }

    /**
     * Progress of long work, shown on standard error if that is a terminal and {@code --quiet} is not given.
     *
     * @param what the work in a few words, such as {@code reading}
     */
    public Progress progress(String what) {
        return new Progress(what, err(), !quiet && Boolean.getBoolean(ERR_TERMINAL_KEY), System::nanoTime);
    }

    /** Standard output, for answers that are neither a line nor a JSON object. */
    public PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
