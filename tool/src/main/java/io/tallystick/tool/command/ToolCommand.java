package io.tallystick.tool.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A command of the tool. It works in {@link #run} and answers through {@link #output}. For the program to report, it
 * throws a {@link ToolException}, a {@link io.tallystick.store.StoreException} or an {@link IOException}.
 */
public abstract class ToolCommand implements Callable<Integer> {
    /** The name of the program. */
    public static final String NAME = "tallystick";

    @Spec
    private CommandSpec spec;

    @Mixin
    private Output output;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "print this help and end")
    private boolean help;

    /** For picocli. */
    protected ToolCommand() {}

    /**
     * Does the work.
     *
     * @throws IOException the work failed; the program reports it
     * @throws InterruptedException the thread was interrupted while it waited
     */
    protected abstract ExitStatus run() throws IOException, InterruptedException;

    /** Where answers go. */
    public final Output output() {
        return output;
    }

    /** The command's description for picocli. */
    protected final CommandSpec spec() {
        return spec;
    }

    /**
     * Checks a number that the command line gives.
     *
     * @throws ParameterException it is not positive; nothing was done
     */
    protected final void checkPositive(String option, long number) {
        if (number <= 0) {
            throw new ParameterException(
                    spec.commandLine(), option + " " + number + " is not possible; give a number of 1 or more");
        }
    }

    @Override
    public final Integer call() throws IOException, InterruptedException {
        return run().code();
    }
}
