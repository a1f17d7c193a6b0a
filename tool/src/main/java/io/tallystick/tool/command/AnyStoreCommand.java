package io.tallystick.tool.command;

import io.tallystick.store.spi.NoticedLoss;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * A command on a store in a directory, or on a log in a database. The first positional parameter is the directory. With
 * {@code --url} there is no directory, and the parameters move up by one.
 */
public abstract class AnyStoreCommand extends ToolCommand {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "DIRECTORY",
            description = "the store's directory (tallystick.directory); left out with --url")
    private String first;

    @Mixin
    private RemoteLogOption remote;

    private List<NoticedLoss> losses = List.of();

    /** For picocli. */
    protected AnyStoreCommand() {}

    /**
     * The log that {@code --url} names; empty for a directory.
     *
     * @throws ParameterException the options do not go together
     */
    protected final Optional<RemoteLog> remoteLog() {
        return remote.log();
    }

    /**
     * The directory as it was given.
     *
     * @throws ParameterException there is none
     */
    protected final Path directory() {
        if (remote.isGiven()) {
            throw new ParameterException(spec().commandLine(), "with --url there is no DIRECTORY; leave one out");
        }
        return path(required(first, 0), "DIRECTORY");
    }

    /**
     * The only parameter behind the directory.
     *
     * @param second what stands in the second place, or null
     * @throws ParameterException there is none, or there are too many
     */
    protected final String operand(String second) {
        if (remote.isGiven() && second != null) {
            throw new ParameterException(
                    spec().commandLine(), "with --url there is no DIRECTORY; leave '" + first + "' or --url out");
        }
        return required(remote.isGiven() ? first : second, 1);
    }

    /** As {@link #operand}, a path. */
    protected final Path pathOperand(String second) {
        return path(operand(second), "'" + operand(second) + "'");
    }

    /**
     * Reads the store without opening it, and without disturbing a process that has it. Damage is not an error here.
     * A remark names the living owner of a log in a database.
     *
     * @param hasOperand whether a parameter stands behind the directory
     * @throws ToolException there is no store, or its files are being exchanged
     * @throws io.tallystick.store.StoreException it cannot be read
     */
    protected final StoreInspection inspect(boolean hasOperand) throws IOException {
        Optional<RemoteLog> log = remoteLog();
        if (log.isEmpty()) {
            StoreInspection inspection = StoreCommand.inspect(directory());
            tell(inspection.place(), MarkedLoss.in(StoreAccess.SYSTEM.disk(), inspection.directory()));
            return inspection;
        }
        if (!hasOperand && first != null) {
            directory(); // tells that there are two
        }
        StoreInspection inspection = log.get().inspect();
        tell(inspection.place(), MarkedLoss.in(log.get()));
        inspection.holder().ifPresent(holder -> output().remark(
                        "%s",
                        Escaped.message(ToolCommand.NAME + ": " + inspection.place() + " has an owner (" + holder
                                + "); this is its log as it was at one moment")));
        return inspection;
    }

    /** The losses that {@link #inspect} has found to be marked. */
    protected final List<NoticedLoss> losses() {
        return losses;
    }

    private void tell(String place, List<NoticedLoss> found) {
        losses = found;
        MarkedLoss.told(place, found)
                .ifPresent(line -> output().remark("%s", Escaped.message(ToolCommand.NAME + ": " + line)));
    }

    private String required(String given, int index) {
        if (given == null) {
            ArgSpec missing = spec().positionalParameters().get(index);
            throw new MissingParameterException(
                    spec().commandLine(), missing, "Missing required parameter: '" + missing.paramLabel() + "'");
        }
        return given;
    }

    private Path path(String text, String what) {
        try {
            return Path.of(text);
        } catch (InvalidPathException noPath) {
            throw new ParameterException(spec().commandLine(), what + " is no path: " + noPath.getMessage());
        }
    }
}
