package io.tallystick.tool;

import io.tallystick.store.ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command on the store in a directory. Which store and which engine wrote it, the directory tells. */
public abstract class StoreCommand extends ToolCommand {
    @Parameters(index = "0", paramLabel = "DIRECTORY", description = "the store's directory (tallystick.directory)")
    private Path directory;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "a configuration key of the store for this opening, such as -Dtallystick.journal.io=channel")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** For picocli. */
    protected StoreCommand() {}

    /**
     * What lies in the directory; nothing in it is created, changed or locked.
     *
     * @throws ToolException there is no store, or it cannot be told which
     */
    protected final StoreAt find() throws IOException {
        return StoreAt.find(directory);
    }

    /**
     * Opens the store for reading and writing: takes its lock and recovers it, as its owner would.
     *
     * @throws ToolException there is no store, or it cannot be told which
     * @throws io.tallystick.store.StoreException it cannot be opened
     */
    protected final ObjectStore open() throws IOException {
        return find().open(settings);
    }
}
