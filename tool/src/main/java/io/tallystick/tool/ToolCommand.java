package io.tallystick.tool;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A command of the tool. Does its work in {@link #run}, answers through {@link #output}, and throws
 * {@link ToolException}, a {@link io.tallystick.store.StoreException} or an {@link IOException} for {@link Main} to
 * tell.
 */
public abstract class ToolCommand implements Callable<Integer> {
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
     * @throws IOException for {@link Main} to tell
     * @throws InterruptedException the thread was interrupted while it waited
     */
    protected abstract ExitStatus run() throws IOException, InterruptedException;

    /** Where answers go. */
    protected final Output output() {
        return output;
    }

    /** What picocli knows of this command. */
    protected final CommandSpec spec() {
        return spec;
    }

    @Override
    public final Integer call() throws IOException, InterruptedException {
        return run().code();
    }
}
