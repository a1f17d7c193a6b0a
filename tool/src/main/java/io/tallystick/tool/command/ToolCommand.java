package io.tallystick.tool.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A command of the tool. Does its work in {@link #run}, answers through {@link #output}, and throws {@link
 * ToolException}, a {@link io.tallystick.store.StoreException} or an {@link IOException} for the program to tell.
 */
public abstract class ToolCommand implements Callable<Integer> {
    /** What users call the program. */
    public static final String NAME = "tallystick";

    @Spec
    private CommandSpec spec;

    @Mixin
    private Output output;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "only print this")
    private boolean help;

    /** For picocli. */
    protected ToolCommand() {}

    /**
     * Does the work.
     *
     * @throws IOException for the program to tell
     * @throws InterruptedException the thread was interrupted while it waited
     */
    protected abstract ExitStatus run() throws IOException, InterruptedException;

    /** Where answers go. */
    public final Output output() {
        return output;
    }

    /** What picocli knows of this command. */
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
                    spec.commandLine(), option + " " + number + " makes no sense; give a number from 1 on");
        }
    }

    @Override
    public final Integer call() throws IOException, InterruptedException {
        return run().code();
    }
}
